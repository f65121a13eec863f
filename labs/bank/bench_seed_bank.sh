#!/usr/bin/env bash
# What a knowledge base of another network saves: seconds of `halftone tune` on a network with an
# empty bank, and with --seed_bank=BANK, in turn.
#
#   labs/bank/bench_seed_bank.sh BANK MODEL [--pairs=N] [-- OPTIONS OF halftone tune]
#
# BANK is the folder of --op_bank_path of an earlier run on another network, MODEL an ONNX file. Prints a
# line for each run, then the medians and their ratio.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

usage="usage: labs/bank/bench_seed_bank.sh BANK MODEL [--pairs=N] [-- OPTIONS]"
names=()
pairs=5
while (($# > 0)); do
  case $1 in
    --pairs=*) pairs=${1#--pairs=} ;;
    --) shift; break ;;
    -*) fail "unknown option $1; $usage" ;;
    *) names+=("$1") ;;
  esac
  shift
done
((${#names[@]} == 2)) || fail "expected a bank and a model, found ${#names[@]} names; $usage"
[[ $pairs =~ ^[1-9][0-9]*$ ]] || fail "--pairs expects a number above 0, found '$pairs'"
bank=${names[0]} model=${names[1]}
[[ -d $bank ]] || fail "no bank at $bank"
[[ -e $model ]] || fail "no model at $model"
halftone=${HALFTONE:-$repository/build/release/bin/halftone}
[[ -x $halftone ]] || fail "no program at $halftone: run scripts/quickstart.sh, or set HALFTONE"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run <name> [option...]: appends the seconds of the whole command to <name>'s list.
run() {
  local name=$1 begin end
  shift
  rm -rf "$folder/bank"
  begin=$EPOCHREALTIME
  env -u TUNE_BANK_PATH "$halftone" tune --model="$model" --op_bank_path="$folder/bank" "$@" > "$folder/log" 2>&1 ||
    (($? == 3)) || fail "$(tail -n 5 "$folder/log")"
  end=$EPOCHREALTIME
  awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.2f\n", e - b }' | tee -a "$folder/$name" | sed "s/^/$name: /; s/\$/ s/"
}

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'; }

for ((pair = 0; pair < pairs; ++pair)); do
  run empty "$@"
  run seed_bank --seed_bank="$bank" "$@"
done
awk -v e="$(median "$folder/empty")" -v f="$(median "$folder/seed_bank")" -v n="$pairs" \
  'BEGIN { printf "medians of %d: empty bank %.2f s, --seed_bank %.2f s, ratio %.2f\n", n, e, f, f / e }'
