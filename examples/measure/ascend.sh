#!/bin/sh
# halftone-measure on Ascend: ATC builds the model as its types say, ais_bench times it (CANN 8,
# ais_bench 0.0.2). One median a call. Hands out outputs.
#   SOC_VERSION            required: Ascend310P3, ...
#   ATC_OPTIONS            for candidates (--precision_mode=must_keep_origin_dtype)
#   ATC_REFERENCE_OPTIONS  for float32; devices without float32 cubes need other ones
set -eu
. "$(dirname "$0")/common.sh"

: "${SOC_VERSION:?expected the name of the chip, as Ascend310P3}"
model="$HALFTONE_WORK/model"
log="$HALFTONE_WORK/atc.log"
compile_s=0
if [ "$HALFTONE_ROLE" = reference ]; then
  options=${ATC_REFERENCE_OPTIONS:---precision_mode=must_keep_origin_dtype}
else
  options=${ATC_OPTIONS:---precision_mode=must_keep_origin_dtype}
fi
if [ ! -s "$model.om" ]; then
  begin=$(now)
  # shellcheck disable=SC2086 # words, not one word
  if ! atc --framework=5 --model="$HALFTONE_MODEL" --output="$model" --soc_version="$SOC_VERSION" $options \
    > "$log" 2>&1; then
    rm -f "$model.om"
    fail "$(grep -e '^E[0-9A-Z]' -e ERROR "$log" | head -n 1)"
  fi
  compile_s=$(($(now) - begin))
fi

bench="$HALFTONE_WORK/bench"
run_log="$HALFTONE_WORK/run.log"
rm -rf "$bench"
mkdir -p "$bench"
if ! python3 -m ais_bench --model "$model.om" --loop "$HALFTONE_RUNS" --warmup_count "$HALFTONE_WARMUP" \
  --output "$bench" --output_dirname timed > "$run_log" 2>&1; then
  fail "$(grep -e ERROR "$run_log" | tail -n 1)"
fi
median=$(tr -d '\n' < "$bench/timed_summary.json" |
  sed -n 's/.*"NPU_compute_time" *: *{[^}]*"median" *: *\([0-9.eE+-]*\).*/\1/p')

# A run for each sample: the names of the outputs do not tell samples apart.
for sample in "$HALFTONE_INPUTS"/*/; do
  number=$(basename "$sample")
  files=$(find "$sample" -name '*.bin' | sort -t / -k 1,1 -V | with_commas)
  if ! python3 -m ais_bench --model "$model.om" --input "$files" --outfmt BIN \
    --output "$bench" --output_dirname "s$number" >> "$run_log" 2>&1; then
    fail "$(grep -e ERROR "$run_log" | tail -n 1)"
  fi
  mkdir -p "$HALFTONE_OUTPUTS/$number"
  for file in "$bench/s$number"/*.bin; do
    cp "$file" "$HALFTONE_OUTPUTS/$number/${file##*_}"
  done
done
answer "$median" "$compile_s" "CANN" "$SOC_VERSION" "$HALFTONE_OUTPUTS"
