#!/usr/bin/env bash
# How good kernels chosen with the machine profile are, on this machine: each network against full tuning and against the
# static order, in float32 (labs/kernel_choice/main.cc).
#
#   labs/kernel_choice/bench_kernel_choice.sh [FOLDER] [--threads="1 2"] [--measurements[=NAME]] [-- OPTIONS]
#
# FOLDER holds a subfolder with a model.onnx for each network, and more of them in light/, whose weights are made as
# constants; without it $HALFTONE_SHARED_DIR/models or ../shared/models. Free dimensions of language models are 128.
# --threads: numbers of threads, a table each (default 1 and 2). OPTIONS go to halftone_kernel_choice; default --budget=2 --compare=1.
# --measurements also writes the tables to docs/measurements/DATE-NAME-kernel-choice.md. About 6 minutes for a table of 38 networks.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

folder=${HALFTONE_SHARED_DIR:-$repository/../shared}/models
threads="1 2"
page=
while (($# > 0)) && [[ $1 != -- ]]; do
  case $1 in
    --threads=*) threads=${1#*=} ;;
    --measurements) page=$(uname -m) ;;
    --measurements=*) page=${1#*=} ;;
    -*) fail "unknown option '$1'; expected --threads=... or --measurements[=NAME]" ;;
    *) folder=$1 ;;
  esac
  shift
done
(($# == 0)) || shift
options=("$@")
((${#options[@]} > 0)) || options=(--budget=2 --compare=1)
[[ -d $folder ]] || fail "'$folder' is no folder: name one with a subfolder for each network"

cd -- "$repository"
require_packages build
build_preset release halftone_kernel_choice halftone_vs_onnxruntime
program=$repository/build/release/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t prepared < <("$program/halftone_vs_onnxruntime" --library=/dev/null --models="$folder" --dim=sequence=128 \
  --prepare="$work/networks")

# The networks by the input shapes that they need, which the bench takes once for all.
declare -A with_shape=()
for name in "${prepared[@]}"; do
  path=$folder/$name
  [[ -e $work/networks/$name/model.onnx ]] && path=$work/networks/$name
  case $name in
    *bert_base) shape="input_ids:1,128;attention_mask:1,128;token_type_ids:1,128" ;;
    *gpt2_small) shape="input_ids:1,128" ;;
    *) shape=none ;;
  esac
  with_shape[$shape]+="$path"$'\n'
done

for count in $threads; do
  for shape in "${!with_shape[@]}"; do
    options_of_shape=()
    [[ $shape == none ]] || options_of_shape=(--input_shape="$shape")
    mapfile -t paths <<<"${with_shape[$shape]%$'\n'}"
    "$program/halftone_kernel_choice" --threads="$count" --banks="$work/banks" "${options[@]}" \
      "${options_of_shape[@]}" "${paths[@]}"
  done
done | tee "$work/rows.txt"
python3 labs/kernel_choice/kernel_choice_table.py "$work/rows.txt" ${page:+--page="docs/measurements/$(date -u +%F)-$page-kernel-choice.md"}
