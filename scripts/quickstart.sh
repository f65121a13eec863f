#!/usr/bin/env bash
# From a fresh Debian 12 to a tuned network: installs what is missing, builds halftone, tunes
# examples/digits and says where the report is. Everything it writes is under build/ and out/.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh

require_packages build
build_preset release halftone

data=examples/digits
out=out/quickstart
mkdir -p "$out"
tune=(build/release/bin/halftone tune
  --model="$data/model.onnx"
  --inputs="$data/search_inputs.npy" --labels="$data/search_labels.npy"
  --heldout_inputs="$data/heldout_inputs.npy" --heldout_labels="$data/heldout_labels.npy"
  --budget=40s --op_bank_path="$out/bank" --output="$out")
say "${tune[*]}"
"${tune[@]}"

[[ -s $out/report.html ]] || fail "halftone ended well but wrote no $out/report.html"
say "report: $PWD/$out/report.html; the files for the compilers lie beside it"
say "next: export PATH=\"$PWD/build/release/bin:\$PATH\", and the eight jobs of docs/getting_started.md"
