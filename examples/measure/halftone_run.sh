#!/bin/sh
# halftone-measure on halftone itself, the smallest wrapper: the file runs as its types say on the
# kernels of this machine. One median a call. Hands out no outputs.
#   HALFTONE   the program (halftone)
set -eu
. "$(dirname "$0")/common.sh"

log="$HALFTONE_WORK/run.log"
if ! "${HALFTONE:-halftone}" run --model="$HALFTONE_MODEL" --precision_mode=must_keep_origin_dtype \
  > "$log" 2>&1; then
  fail "$(tail -n 1 "$log")"
fi
# "speed-up 1.02x [...] over fp32; 16.0 us a run, fp32 13.5 us"
latency=$(awk '/ a run, / {
  for (i = 3; i <= NF; i++) if ($i == "a" && $(i + 1) == "run,") {
    unit["ns"] = 1e-6; unit["us"] = 1e-3; unit["ms"] = 1; unit["s"] = 1000
    printf "%.9g\n", $(i - 2) * unit[$(i - 1)]
  }
}' "$log" | head -n 1)
answer "$latency" 0 "halftone" "$(uname -m)" ""
