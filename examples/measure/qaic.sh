#!/bin/sh
# halftone-measure on Cloud AI 100: qaic-exec (newer name: qaic-compile) builds, qaic-runner times
# (Platform SDK 1.18 to 1.20). One figure a call. Hands out outputs.
#   QAIC_OPTIONS  words for the compiler; -convert-to-fp16 would change what the file says
#   QAIC_DEVICE   number of the device (0)
set -eu
. "$(dirname "$0")/common.sh"

PATH="$PATH:/opt/qti-aic/exec"
compiler=qaic-exec
if command -v qaic-compile > /dev/null; then
  compiler=qaic-compile
fi
program="$HALFTONE_WORK/qpc"
log="$HALFTONE_WORK/build.log"
compile_s=0
if [ ! -s "$program/programqpc.bin" ]; then
  rm -rf "$program"
  begin=$(now)
  # shellcheck disable=SC2086 # words, not one word
  if ! "$compiler" -m="$HALFTONE_MODEL" -aic-hw -compile-only ${QAIC_OPTIONS:-} -aic-binary-dir="$program" \
    > "$log" 2>&1; then
    rm -rf "$program"
    fail "$(grep -i -e error "$log" | tail -n 1)"
  fi
  compile_s=$(($(now) - begin))
fi

run_log="$HALFTONE_WORK/run.log"
# run_sample SAMPLE RUNS FOLDER: outputs go to FOLDER.
run_sample() {
  set -- "$@" -t "$program" -d "${QAIC_DEVICE:-0}" -S 1 -T 1 -n "$2" \
    --write-output-start-iter 0 --write-output-num-samples 1 --write-output-dir "$3"
  for file in $(cd "$HALFTONE_INPUTS/$1" && find . -name '*.bin' | sort -V); do
    set -- "$@" -i "$HALFTONE_INPUTS/$1/$file"
  done
  shift 3
  qaic-runner "$@" > "$run_log" 2>&1 || fail "$(grep -i -e error "$run_log" | tail -n 1)"
}

for sample in "$HALFTONE_INPUTS"/*/; do
  number=$(basename "$sample")
  folder="$HALFTONE_WORK/outputs"
  rm -rf "$folder"
  mkdir -p "$folder" "$HALFTONE_OUTPUTS/$number"
  run_sample "$number" 1 "$folder"
  index=0
  for file in "$folder"/*.bin; do  # in the order of the names, which begin with those of outputs
    cp "$file" "$HALFTONE_OUTPUTS/$number/$index.bin"
    index=$((index + 1))
  done
done
rm -rf "$HALFTONE_WORK/outputs"
mkdir -p "$HALFTONE_WORK/outputs"
run_sample 0 "$HALFTONE_RUNS" "$HALFTONE_WORK/outputs"
# "... ExecTimeUs 812.4" in microseconds.
time=$(awk '{ for (i = 1; i < NF; i++) if ($i ~ /^ExecTimeUs/) { print $(i + 1) / 1000; exit } }' "$run_log")
answer "$time" "$compile_s" "Cloud AI" "AIC100 ${QAIC_DEVICE:-0}" "$HALFTONE_OUTPUTS"
