#!/usr/bin/env bash
# What two builds of halftone find with the default budget: for each network the best speed-ups at
# 30 dB and 60 dB, and the geometric mean of new over old.
#
#   scripts/compare_tuned.sh OLD NEW [FOLDER] [--only=A,B] [--output=DIR]
#
# OLD and NEW are halftone binaries; FOLDER as in scripts/results.sh. Both builds tune a network one
# after the other, the order exchanged from network to network, two hours in all on 2 cores. Reports
# stay in DIR/old and DIR/new (default build/compare_tuned of the repository); a network with a
# front.json there is not tuned again, so that an interrupted comparison goes on. Exit code 1 when one
# took more than 10 minutes or failed.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

usage="usage: scripts/compare_tuned.sh OLD NEW [FOLDER] [--only=A,B] [--output=DIR]"
(($# >= 2)) || fail "expected two halftone binaries; $usage"
old=$1
new=$2
shift 2
[[ -x $old && -x $new ]] || fail "expected two programs, found '$old' and '$new'; $usage"
folder=${HALFTONE_SHARED_DIR:-$repository/../shared}/models
only=
output=$repository/build/compare_tuned
for argument in "$@"; do
  case $argument in
    --only=*) only=${argument#--only=} ;;
    --output=*) output=${argument#--output=} ;;
    -*) fail "unknown option $argument; $usage" ;;
    *) folder=$argument ;;
  esac
done
[[ -d $folder ]] || fail "no folder of networks at $folder: name one, or set HALFTONE_SHARED_DIR"

code=0
turn=0
for model in "$folder"/*/model.onnx; do
  name=$(basename "$(dirname "$model")")
  if [[ -n $only && ,$only, != *,$name,* ]]; then
    continue
  fi
  turn=$((turn + 1))
  order=(old new)
  ((turn % 2 == 1)) || order=(new old)
  for version in "${order[@]}"; do
    HALFTONE=${!version} "$repository/scripts/results.sh" "$folder" --only="$name" \
      --output="$output/$version" >/dev/null || code=1
  done
done
python3 "$repository/scripts/compare_tuned.py" "$output/old" "$output/new"
exit "$code"
