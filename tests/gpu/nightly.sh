#!/usr/bin/env bash
# What a machine with a GPU does at night: every test that needs one, and the pages of docs/ that are made from its runs.
#   nightly.sh BUILD FOLDER        the build folder, with foldproof, foldproof-lab and test_gpu; where the pages go
# One line a step, with its exit status and time; details in FOLDER/log. Status 1 where a step failed; the others run all
# the same. STEPS="compare bench.gpu" runs those alone that are named so, or whose names begin so in front of a dot.
set -uo pipefail
build=$(realpath "$1")
program=$build/foldproof laboratory=$build/foldproof-lab tests=$build/tests/test_gpu
kernels=$(realpath "$(dirname "$0")/../../kernels")
mkdir -p "$2/log" && cd "$2" || exit 2
stores=$(mktemp -d) failed=0
trap 'rm -rf "$stores"' EXIT

# step NAME LIMIT OUTPUT COMMAND...: the output is kept where the command came to its own end.
step() {
  local name=$1 limit=$2 output=$3 begin=$EPOCHREALTIME status=0
  shift 3
  if [[ -n ${STEPS:-} && " $STEPS " != *" $name "* && " $STEPS " != *" ${name%%.*} "* ]]; then return; fi
  rm -f "$output" # last night's is none of this one's
  timeout -k 10 "$limit" "$@" >"log/$name.out" 2>"log/$name.err" || status=$?
  if ((status < 2)); then cp "log/$name.out" "$output"; fi
  if ((status != 0)); then failed=1; fi
  printf '%-22s status %3d %7.1f s\n' "$name" "$status" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")"
}

# audit_step NAME LIMIT OUTPUT ARGUMENT...: an audit. Stored cases are run first, so that each step has its own store, or
# what one device found would be told of another.
audit_step() {
  local name=$1
  step "${@:1:3}" "$program" audit --store "$stores/$name" "${@:4}"
}

step tests 300 log/tests.txt env FOLDPROOF_PROGRAM="$program" "$tests"
audit_step audit 600 log/audit.txt "$kernels" --trust --device cuda --case-limit 2s
audit_step defects.emulated 300 log/emulated.json "$kernels/defects" --trust --format json
audit_step defects.cuda 200 log/cuda.json "$kernels/defects" --trust --device cuda --case-limit 2s --format json
audit_step defects.tools 300 log/tools.json "$kernels/defects" --trust --device cuda --format json \
  --sanitizer racecheck,memcheck,synccheck,initcheck
step defects.page 10 detection.md "$laboratory" detection log/emulated.json log/cuda.json log/tools.json
step compare 300 emulation.md "$laboratory" compare
step compare.contracted 300 contraction.md "$laboratory" compare --contracted
step bench.gpu 60 throughput.txt "$laboratory" bench gpu "$kernels/tree"
step bench.all 120 log/throughput.txt "$laboratory" bench gpu
step bench.kernels 120 bandwidth.json "$laboratory" bench kernels --runs 15 --format json
step bench.page 10 bandwidth.txt "$laboratory" bench kernels --measured bandwidth.json
step bench.claims 300 claims.md "$laboratory" claims --measured bandwidth.json
step bench.exact 120 exact.txt "$laboratory" bench exact --runs 15
gpus=$("$program" list --devices --format json | sed 's/.*"device":"cuda"[^}]*"count":\([0-9]*\).*/\1/')
if ((gpus > 1)); then
  audit_step all_reduce.largest 600 log/all_reduce.txt "$kernels/library/all_reduce.toml" --trust --largest 2200000
  step all_reduce.page 900 all_reduce.md "$laboratory" all-reduce
else
  echo "all_reduce             skipped: it needs several GPUs, and this machine has $gpus"
fi
audit_step large 900 large.txt "$kernels" --trust --device cuda --large
exit $failed
