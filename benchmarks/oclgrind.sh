#!/usr/bin/env bash
# The same tree sum in Oclgrind and in Foldproof's emulated device, one core each, in one run:
#   benchmarks/oclgrind.sh FOLDPROOF
# Prints elements a second of both and their ratio, without checks and with Oclgrind's --data-races. Oclgrind's
# start-up, measured on one work-group, is taken off its time.
set -euo pipefail

foldproof=${1:?usage: benchmarks/oclgrind.sh FOLDPROOF}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v oclgrind-kernel >/dev/null || { echo "oclgrind.sh: oclgrind is missing; ./x bench installs it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
elements=$((1 << 20)) block=256
cp "$here/tree_sum.cl" "$work"

# simulate ELEMENTS OPTION...: processor seconds of one simulation, which is what Foldproof's benchmark counts.
# Every partial must be the sum of a block of ones.
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
    echo "oclgrind.sh: Oclgrind's result is not what was expected:" >&2
    head -5 "$work/out" >&2
    exit 1
  }
  awk '{ printf "%.3f\n", $1 + $2 }' <<<"$spent"
}

ours=$("$foldproof" bench emulated --format json |
  sed 's/.*"name":"A5\/checks-off"[^}]*"elements_per_second":\([0-9.e+]*\).*/\1/')
simulate "$block" >/dev/null # Warms the page cache.
start_up=$(simulate "$block")
plain=$(simulate "$elements")
races=$(simulate "$elements" --data-races)

awk -v n="$elements" -v b="$block" -v start="$start_up" -v plain="$plain" -v races="$races" -v ours="$ours" 'BEGIN {
  printf "tree sum of %d f32, block %d, processor time of one core\n", n, b
  printf "%-34s %10.3f million elements/s\n", "Foldproof, checks off", ours / 1e6
  report("Oclgrind", n / (plain - start))
  report("Oclgrind --data-races", n / (races - start))
}
function report(name, rate) { printf "%-34s %10.3f million elements/s  ratio %.0f\n", name, rate / 1e6, ours / rate }'
