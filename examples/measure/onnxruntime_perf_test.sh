#!/bin/sh
# halftone-measure on ONNX Runtime by its onnxruntime_perf_test (layout of the result file: 1.4 to
# 1.2x). All runs of a call are kept. Random inputs; hands out no outputs (--measure=ort does).
#   PROVIDER            cpu (default), cuda, tensorrt, dnnl, ...
#   PERF_TEST_OPTIONS   further words, such as "-x 4" for threads
set -eu
. "$(dirname "$0")/common.sh"

times="$HALFTONE_WORK/times.csv"
log="$HALFTONE_WORK/run.log"
rm -f "$times"
# shellcheck disable=SC2086 # words, not one word
if ! onnxruntime_perf_test -I -e "${PROVIDER:-cpu}" -m times -r "$HALFTONE_RUNS" -o 99 ${PERF_TEST_OPTIONS:-} \
  "$HALFTONE_MODEL" "$times" > "$log" 2>&1; then
  fail "$(tail -n 1 "$log")"
fi
# Lines "model,seconds,memory,load,number".
latencies=$(awk -F , 'NF >= 5 { printf "%.9g\n", $(NF - 3) * 1000 }' "$times" | with_commas)
answer "$latencies" 0 "ONNX Runtime" "${PROVIDER:-cpu}" ""
