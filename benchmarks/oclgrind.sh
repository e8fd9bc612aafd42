#!/usr/bin/env bash
# The same tree sum in Oclgrind and on Foldproof's emulated device, one core each, in one run:
#   benchmarks/oclgrind.sh FOLDPROOF-LAB
# Prints elements per second of both and their ratio: without checks on either side, and with all of
# Foldproof's checks compared with Oclgrind's --data-races and with both of its checks. Oclgrind's start-up,
# measured on one work-group, is subtracted from its time.
set -euo pipefail

laboratory=${1:?usage: benchmarks/oclgrind.sh FOLDPROOF-LAB}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v oclgrind-kernel >/dev/null || { echo "oclgrind.sh: oclgrind is missing; ./x bench installs it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
elements=$((1 << 20)) block=256
cp "$here/tree_sum.cl" "$work"

# simulate ELEMENTS OPTION...: processor seconds of one simulation, as counted by Foldproof's benchmark. Every
# partial must be the sum of a block of ones.
simulate() {
  local count=$1
  shift
  cat >"$work/tree_sum.sim" <<SIM
tree_sum.cl
sequential
$count 1 1
$block 1 1

<size=$((count * 4)) float fill=1>
<size=$((count * 4 / block)) float fill=0 dump>
<size=8 ulong>
$count
<size=$((block * 4))>
SIM
  local spent TIMEFORMAT='%U %S'
  spent=$(cd "$work" && { time oclgrind-kernel --num-threads 1 "$@" tree_sum.sim >out 2>&1; } 2>&1)
  [[ $(grep -c "= $block\$" "$work/out") == $((count / block)) ]] || {
    echo "oclgrind.sh: unexpected result from Oclgrind:" >&2
    head -5 "$work/out" >&2
    exit 1
  }
  awk '{ printf "%.3f\n", $1 + $2 }' <<<"$spent"
}

rate_of() { sed "s/.*\"name\":\"A5\/$1\"[^}]*\"elements_per_second\":\([0-9.e+]*\).*/\1/" <<<"$measured"; }
measured=$("$laboratory" bench emulated --format json)
simulate "$block" >/dev/null # Warms the page cache.
start_up=$(simulate "$block")
plain=$(simulate "$elements")
races=$(simulate "$elements" --data-races)
both=$(simulate "$elements" --data-races --uninitialized)

awk -v n="$elements" -v b="$block" -v start="$start_up" -v plain="$plain" -v races="$races" -v both="$both" \
  -v off="$(rate_of checks-off)" -v on="$(rate_of checks-on)" 'BEGIN {
  printf "tree sum of %d f32, block %d, processor time of one core, million elements/s\n", n, b
  row("checks off", off, "Oclgrind", n / (plain - start))
  row("all checks on", on, "Oclgrind --data-races", n / (races - start))
  row("all checks on", on, "Oclgrind --data-races --uninitialized", n / (both - start))
}
function row(ours, a, theirs, b) {
  printf "Foldproof, %-13s %7.2f   %-37s %6.3f   ratio %5.0f\n", ours, a / 1e6, theirs, b / 1e6, a / b
}'
