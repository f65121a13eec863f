#!/usr/bin/env bash
# Runs the strategies against each other on every row of the tables of docs/measurements/*-search.md
# that compare them, then prints the tables and draws the plot.
#
#   labs/search_quality/search_quality.sh [FOLDER] [--only=A,B] [--output=DIR] [-- OPTIONS OF halftone_search_quality]
#
# FOLDER holds a subfolder with a model.onnx for mnist, micro-kws and face-landmarks-mnv3; without it
# $HALFTONE_SHARED_DIR/models or shared/models beside the repository. DIR (default build/search_quality
# of the repository) gets NETWORK.json of each row, and search_quality.svg; a row that has its file
# there is not run again. OPTIONS are such as --seed=2 --predictions. HALFTONE_SEARCH_QUALITY names the
# program, else that of the preset release is built.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

folder=
only=
output=$repository/build/search_quality
while (($# > 0)); do
  case $1 in
    --only=*) only=${1#--only=} ;;
    --output=*) output=${1#--output=} ;;
    --) shift; break ;;
    -*) fail "unknown option $1; usage: labs/search_quality/search_quality.sh [FOLDER] [--only=A,B] [--output=DIR] [-- OPTIONS]" ;;
    *) folder=$1 ;;
  esac
  shift
done
more=("$@")
folder=${folder:-${HALFTONE_SHARED_DIR:-$repository/../shared}/models}
program=${HALFTONE_SEARCH_QUALITY:-}
if [[ -z $program ]]; then
  require_packages build >&2
  (cd -- "$repository" && build_preset release halftone_search_quality) >&2
  program=$repository/build/release/bin/halftone_search_quality
fi
[[ -x $program ]] || fail "no program at $program, which HALFTONE_SEARCH_QUALITY names"

mkdir -p "$output"
files=()

# row [--name=NAME] <network> <option...>: a generated network, or a folder that holds model.onnx.
row() {
  local name=
  if [[ $1 == --name=* ]]; then
    name=${1#--name=}
    shift
  fi
  local network=$1
  name=${name:-${1##*/}}
  shift
  if [[ -n $only && ,$only, != *,$name,* ]]; then
    return
  fi
  files+=("$output/$name.json")
  if [[ -e $output/$name.json ]]; then
    return
  fi
  if [[ $network == */* ]]; then
    [[ -e $network/model.onnx ]] || fail "no model at $network/model.onnx: name the folder of the networks, set HALFTONE_SHARED_DIR, or choose rows with --only"
  fi
  say "$name" >&2
  if ! "$program" "$network" "$@" "${more[@]}" --json="$output/$name.json" >&2; then
    rm -f "$output/$name.json"
    fail "halftone_search_quality failed on $name"
  fi
}

# All plans of two modes and one implementation can be measured; of all modes and both they cannot.
strategies=model,greedy,random,bisect,nsga2
confirm=(--confirm_budget=1)
small=("${confirm[@]}" "--modes=must_keep_origin_dtype,allow_mix_precision_bf16" --one_implementation --max_trials=130
  --budget=0.2 "--strategies=exhaustive,$strategies")
row block-1 "${small[@]}"
row block-2 "${small[@]}"
row "$repository/examples/digits" "${small[@]}" --inputs=search_inputs.npy --max_samples=1000
row "$folder/mnist" "${small[@]}" --inputs=eval --max_samples=1000
row "$folder/micro-kws" "${small[@]}" --inputs=.
row "$folder/face-landmarks-mnv3" "${confirm[@]}" --max_trials=190 --max_samples=4 --budget=0.3 "--strategies=$strategies"
# Networks of some microseconds in all modes and implementations: equal time, in which a plan costs
# little more than its measurement.
tiny=(--seconds=20 --budget=0.05 --confirm_budget=0.5 --max_samples=64 --strategies=model,greedy,random,nsga2)
row --name=digits-in-time "$repository/examples/digits" "${tiny[@]}" --inputs=search_inputs.npy
row --name=mnist-in-time "$folder/mnist" "${tiny[@]}" --inputs=eval
row --name=micro-kws-in-time "$folder/micro-kws" "${tiny[@]}" --inputs=.
((${#files[@]} > 0)) || fail "--only=$only names no row: block-1, block-2, digits, mnist, micro-kws, face-landmarks-mnv3, digits-in-time, mnist-in-time or micro-kws-in-time"
python3 "$repository/labs/search_quality/search_quality_table.py" "${files[@]}" --plot="$output/search_quality.svg"
