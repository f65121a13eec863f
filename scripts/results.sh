#!/usr/bin/env bash
# Tunes every trained network of a folder with the default budget and prints the table of
# docs/measurements/performance.md: the best speed-ups at bounds that users ask for.
#
#   scripts/results.sh [FOLDER] [--only=A,B] [--output=DIR] [-- OPTIONS OF halftone tune]
#
# FOLDER holds a subfolder with a model.onnx for each network; without it $HALFTONE_SHARED_DIR/models
# or shared/models beside the repository. A folder eval/ is searched on where there is one, with its
# labels.pb where these are classes of one output, else the test_data_set_N. Reports stay in DIR (default
# build/results of the repository); a network that has a front.json there is not tuned again. Exit code 1
# when one took more than 10 minutes or failed.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

folder=
only=
output=$repository/build/results
while (($# > 0)); do
  case $1 in
    --only=*) only=${1#--only=} ;;
    --output=*) output=${1#--output=} ;;
    --) shift; break ;;
    -*) fail "unknown option $1; usage: scripts/results.sh [FOLDER] [--only=A,B] [--output=DIR] [-- OPTIONS]" ;;
    *) folder=$1 ;;
  esac
  shift
done
folder=${folder:-${HALFTONE_SHARED_DIR:-$repository/../shared}/models}
[[ -d $folder ]] || fail "no folder of networks at $folder: name one, or set HALFTONE_SHARED_DIR"
halftone=${HALFTONE:-$repository/build/release/bin/halftone}
[[ -x $halftone ]] || fail "no program at $halftone: run scripts/quickstart.sh, or set HALFTONE"

mkdir -p "$output"
late=0
for model in "$folder"/*/model.onnx; do
  name=$(basename "$(dirname "$model")")
  if [[ -n $only && ,$only, != *,$name,* ]] || [[ -e $output/$name/front.json ]]; then
    continue
  fi
  data=$(dirname "$model")
  log=$output/$name.log
  tune=("$halftone" tune --model="$model" --op_bank_path="$output/bank" --output="$output/$name" "$@")
  echo "== $name" >&2
  begin=$SECONDS
  code=0
  if [[ ! -e $data/eval/labels.pb ]]; then
    "${tune[@]}" --inputs="$data" >"$log" 2>&1 || code=$?
  elif ! "${tune[@]}" --inputs="$data/eval" --labels="$data/eval/labels.pb" >"$log" 2>&1; then
    if grep -q "^error: .*labels.pb" "$log"; then
      echo "$name: without labels: $(tail -n 1 "$log")" >&2
      "${tune[@]}" --inputs="$data/eval" >"$log" 2>&1 || code=$?
    else
      code=1
    fi
  fi
  if ((code != 0)); then
    echo "$name: $(tail -n 1 "$log")" >&2
    late=1
  elif ((SECONDS - begin > 600)); then
    echo "$name: took $((SECONDS - begin)) s, more than 600" >&2
    late=1
  fi
done
python3 "$repository/scripts/results_table.py" "$output"/*/front.json
exit "$late"
