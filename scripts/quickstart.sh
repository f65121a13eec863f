#!/usr/bin/env bash
# From a fresh Debian 12 to a tuned network: installs what is missing, builds halftone, tunes
# examples/digits and says where the report is. Everything it writes is under build/ and out/.
#
#   scripts/quickstart.sh             the program
#   scripts/quickstart.sh --python    the Python package too, and examples/python_tune.py with it
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh

case ${1:-} in
  '') python= ;;
  --python) python=yes ;;
  *) fail "expected --python or nothing, found '$1'" ;;
esac
targets=(halftone)
require_packages build
if [[ $python ]]; then
  require_packages python
  cmake_options=(-DHALFTONE_PYTHON=ON)
  targets+=(halftone_python)
fi
build_preset release "${targets[@]}"

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
if [[ $python ]]; then
  say "examples/python_tune.py"
  PYTHONPATH=build/release/python /usr/bin/python3 examples/python_tune.py --output="$out/python"
  say "in Python: export PYTHONPATH=\"$PWD/build/release/python\", and docs/guide/python.md"
fi
say "next: export PATH=\"$PWD/build/release/bin:\$PATH\", and the eight jobs of docs/guide/getting_started.md"
