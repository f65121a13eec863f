#!/usr/bin/env bash
# How long the knowledge base takes to answer another goal: the median time of the whole command.
#
#   labs/bank/bench_answers.sh BANK MODEL [--runs=N] [--goal=GOAL] [-- OPTIONS OF halftone tune]
#
# BANK is the folder of --op_bank_path, MODEL an ONNX file; samples are among the OPTIONS, --inputs=
# and the like. Where the bank holds no finished search of MODEL with these OPTIONS, it is tuned once.
# Then GOAL (default min_sqnr_db=40) is asked N times (default 7). Exit code 1 above 100 ms, and
# where a goal was not answered from the bank.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

most_ms=100
usage="usage: labs/bank/bench_answers.sh BANK MODEL [--runs=N] [--goal=GOAL] [-- OPTIONS]"
names=()
runs=7
goal=min_sqnr_db=40
while (($# > 0)); do
  case $1 in
    --runs=*) runs=${1#--runs=} ;;
    --goal=*) goal=${1#--goal=} ;;
    --) shift; break ;;
    -*) fail "unknown option $1; $usage" ;;
    *) names+=("$1") ;;
  esac
  shift
done
((${#names[@]} == 2)) || fail "expected a bank and a model, found ${#names[@]} names; $usage"
[[ $runs =~ ^[1-9][0-9]*$ ]] || fail "--runs expects a number above 0, found '$runs'"
bank=${names[0]} model=${names[1]}
[[ -e $model ]] || fail "no model at $model"
halftone=${HALFTONE:-$repository/build/release/bin/halftone}
[[ -x $halftone ]] || fail "no program at $halftone: run scripts/quickstart.sh, or set HALFTONE"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# ask <goal> [option...]: 3, no point meets the goal, is an answer too. TUNE_BANK_PATH would win over the bank.
ask() {
  local asked=$1 code=0
  shift
  env -u TUNE_BANK_PATH "$halftone" tune --model="$model" --op_bank_path="$bank" --goal="$asked" "$@" >"$log" 2>&1 || code=$?
  ((code == 0 || code == 3)) || fail "halftone tune ended with $code: $(tail -n 1 "$log")"
}
answered() { grep -q "answered from the front of" "$log"; }

ask front "$@"
answered || say "the bank had no answer: tuned once" >&2

times=()
for ((i = 0; i < runs; ++i)); do
  begin=${EPOCHREALTIME/[^0-9]/}
  ask "$goal" "$@"
  end=${EPOCHREALTIME/[^0-9]/}
  answered || fail "$goal was not answered from $bank but searched: $(grep -m 1 "distinct plans" "$log")"
  times+=($((end - begin)))
done
mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
middle=$(((sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2))
printf '%s: %d.%d ms, median of %d (%d.%d to %d.%d)\n' "$model" $((middle / 1000)) $((middle / 100 % 10)) "$runs" \
  $((sorted[0] / 1000)) $((sorted[0] / 100 % 10)) $((sorted[runs - 1] / 1000)) $((sorted[runs - 1] / 100 % 10))
if ((middle > most_ms * 1000)); then
  echo "more than $most_ms ms" >&2
  exit 1
fi
