#!/bin/sh
# halftone-measure on TensorRT by trtexec: versions 10 (--stronglyTyped) and 11, where types of the
# file always count. Times without copies; hands out no outputs, whose text has too few digits.
#   TRTEXEC_OPTIONS   further words for the build
set -eu
. "$(dirname "$0")/common.sh"

engine="$HALFTONE_WORK/model.engine"
log="$HALFTONE_WORK/build.log"
compile_s=0
if [ ! -s "$engine" ]; then
  typed=""
  if trtexec --help 2>&1 | grep -q -e --stronglyTyped; then
    typed=--stronglyTyped
  fi
  begin=$(now)
  # shellcheck disable=SC2086 # words, not one word
  if ! trtexec --onnx="$HALFTONE_MODEL" $typed --noTF32 ${TRTEXEC_OPTIONS:-} --saveEngine="$engine.new" \
    --skipInference > "$log" 2>&1; then
    fail "$(grep -e '\[E\]' "$log" | tail -n 1)"
  fi
  mv "$engine.new" "$engine"
  compile_s=$(($(now) - begin))
fi

times="$HALFTONE_WORK/times.json"
run_log="$HALFTONE_WORK/run.log"
rm -f "$times"
if ! trtexec --loadEngine="$engine" --noDataTransfers --useSpinWait --useCudaGraph --warmUp=200 \
  --iterations="$HALFTONE_RUNS" --duration="$HALFTONE_SECONDS" --exportTimes="$times" > "$run_log" 2>&1; then
  fail "$(grep -e '\[E\]' "$run_log" | tail -n 1)"
fi
latencies=$(grep -o '"computeMs" *: *[0-9.eE+-]*' "$times" | sed 's/.*: *//' | with_commas)
version=$(sed -n 's/.*\[TensorRT v\([0-9]*\)\].*/\1/p' "$run_log" | head -n 1)
device=$(sed -n 's/.*Selected Device: *//p' "$run_log" | head -n 1)
answer "$latencies" "$compile_s" "TensorRT ${version:-of unknown version}" "$device" ""
