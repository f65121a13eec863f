#!/bin/sh
# halftone-measure on OpenVINO by benchmark_app of its C++ samples (layout of the report: 2023 to
# 2026). One median a call, so calls are repeated until their spread is known. OpenVINO does not obey
# Casts between float types; Q/DQ pairs it does. Hands out no outputs.
#   OPENVINO_DEVICE        CPU (default), GPU, NPU
#   BENCHMARK_APP_OPTIONS  further words
set -eu
. "$(dirname "$0")/common.sh"

reports="$HALFTONE_WORK/reports"
log="$HALFTONE_WORK/run.log"
mkdir -p "$reports"
rm -f "$reports/benchmark_report.json"
# shellcheck disable=SC2086 # words, not one word
if ! benchmark_app -m "$HALFTONE_MODEL" -d "${OPENVINO_DEVICE:-CPU}" -hint none -api sync -nstreams 1 \
  -niter "$HALFTONE_RUNS" -infer_precision f32 ${BENCHMARK_APP_OPTIONS:-} \
  -json_stats -report_type no_counters -report_folder "$reports" > "$log" 2>&1; then
  fail "$(grep -e ERROR -e Exception "$log" | tail -n 1)"
fi
median=$(sed -n 's/.*"latency_median" *: *"\{0,1\}\([0-9.eE+-]*\).*/\1/p' "$reports/benchmark_report.json" | head -n 1)
build=$(sed -n 's/.*Build[ .]*\([0-9][^ ]*\).*/\1/p' "$log" | head -n 1)
answer "$median" 0 "OpenVINO ${build:-of unknown version}" "${OPENVINO_DEVICE:-CPU}" ""
