#!/usr/bin/env bash
# Latency of two builds of halftone in turns: the geometric mean over networks of new over old time.
#
#   scripts/compare_versions.sh OLD NEW [--rounds=N] [--plans=f32,f16,...] MODEL...
#
# OLD and NEW are halftone binaries, MODEL a folder or file that both can load. Each round runs
# every plan once by each binary, the order exchanged from round to round; a run is the median over
# its own repetitions (run --profile). Printed for each network and plan: the median over the rounds
# of new over old time. Ends with the geometric mean and the largest ratio of each plan.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

(($# >= 3)) || fail "expected OLD NEW MODEL...: two halftone binaries and networks"
old=$1
new=$2
shift 2
[[ -x $old && -x $new ]] || fail "expected two programs, found '$old' and '$new'"
rounds=5
plans=f32,f16,f16_fast,mixed_bf16
models=()
for argument in "$@"; do
  case $argument in
    --rounds=*) rounds=${argument#*=} ;;
    --plans=*) plans=${argument#*=} ;;
    *) models+=("$argument") ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '[ByOpType]\nConv2D=high_performance\nMatMulV2=high_performance\nBatchMatMulV2=high_performance\n' \
  >"$work/fast.ini"

# The option sets of labs/onnxruntime/compared_plans.cc.
options_of() {
  case $1 in
    f32) echo "--precision_mode=must_keep_origin_dtype --op_precision_mode=$work/fast.ini" ;;
    f16) echo "--precision_mode=force_fp16 --op_select_implmode=high_precision_for_all" ;;
    f16_fast) echo "--precision_mode=force_fp16 --op_precision_mode=$work/fast.ini" ;;
    mixed_bf16) echo "--precision_mode=allow_mix_precision_bf16 --op_precision_mode=$work/fast.ini" ;;
    *) fail "--plans expects f32, f16, f16_fast or mixed_bf16; found '$1'" ;;
  esac
}

# The microseconds of one run.
time_of() {
  local binary=$1 model=$2 plan=$3 data=()
  [[ ! -d $model/test_data_set_0 ]] || data=(--inputs="$model/test_data_set_0")
  # shellcheck disable=SC2046
  "$binary" run --model="$model" $(options_of "$plan") "${data[@]}" --threads=1 \
    --profile_output="$work/profile" >"$work/out" 2>"$work/err" ||
    fail "$binary run --model=$model ($plan): $(tail -1 "$work/err")"
  python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["total_s"] * 1e6)' \
    "$work/profile/profile.json"
}

for model in "${models[@]}"; do
  for plan in ${plans//,/ }; do
    for ((round = 0; round < rounds; ++round)); do
      if ((round % 2 == 0)); then
        a=$(time_of "$old" "$model" "$plan")
        b=$(time_of "$new" "$model" "$plan")
      else
        b=$(time_of "$new" "$model" "$plan")
        a=$(time_of "$old" "$model" "$plan")
      fi
      printf '%s %s %s %s\n' "$model" "$plan" "$a" "$b" >>"$work/times"
    done
    python3 - "$work/times" "$model" "$plan" <<'PY'
import statistics
import sys

rows = [line.split() for line in open(sys.argv[1])]
ratios = [float(b) / float(a) for m, p, a, b in rows if (m, p) == tuple(sys.argv[2:4])]
print(f"{sys.argv[2]:40} {sys.argv[3]:12} {statistics.median(ratios):.3f}", flush=True)
PY
  done
done
python3 - "$work/times" <<'PY'
import collections
import math
import statistics
import sys

ratios = collections.defaultdict(list)
for line in open(sys.argv[1]):
    model, plan, old, new = line.split()
    ratios[plan, model].append(float(new) / float(old))
medians = collections.defaultdict(dict)
for (plan, model), values in ratios.items():
    medians[plan][model] = statistics.median(values)
for plan, of in medians.items():
    mean = math.exp(sum(map(math.log, of.values())) / len(of))
    worst = max(of, key=of.get)
    print(f"{plan}: geometric mean {mean:.3f} of {len(of)}, largest {of[worst]:.3f} ({worst})")
PY
