#!/usr/bin/env bash
# The acceptance of 8 bits: measures its rows on this machine and prints their table.
#
#   labs/int8_acceptance/int8_acceptance.sh [FOLDER] [--rows=1,4] [--only=A,B] [--output=DIR] [--evaluations=N] [--budget=S]
#                              [--threads=N] [--no_build] [--table]
#
# FOLDER holds a subfolder with a model.onnx for each network, and more of them in light/; without it
# $HALFTONE_SHARED_DIR/models or shared/models beside the repository. DIR (default build/int8_acceptance of the
# repository) keeps the figures of each row; what is there is not measured again, so that a run goes on where it
# ended and --table only prints. --only: networks of the rows with several. --evaluations: plans of each tuning run
# (default 60); --budget: seconds of timed runs for each network of row 6 (default 6); --threads: default 1.
#
#   1  golden values of calibration     4  accuracy of trained networks    7  fronts with 8 bits and without
#   2  kernels on every instruction set 5  error against ONNX Runtime      8  predicted against measured error
#   3  QDQ files in ONNX Runtime        6  speed against ONNX Runtime      9  cost of calibration and probes
#
# ORT_LIBRARY names a libonnxruntime.so.1; without it the one that labs/onnxruntime/bench_vs_onnxruntime.sh keeps in
# ~/.cache/halftone. Exit code 1 when a row could not be computed at all.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

folder=
rows=1,2,3,4,5,6,7,8,9
only=
output=$repository/build/int8_acceptance
evaluations=60
budget=6
threads=1
build=yes
measure=yes
command_line="labs/int8_acceptance/int8_acceptance.sh $*"
while (($# > 0)); do
  case $1 in
    --rows=*) rows=${1#--rows=} ;;
    --only=*) only=${1#--only=} ;;
    --output=*) output=${1#--output=} ;;
    --evaluations=*) evaluations=${1#--evaluations=} ;;
    --budget=*) budget=${1#--budget=} ;;
    --threads=*) threads=${1#--threads=} ;;
    --no_build) build= ;;
    --table) measure= ;;
    -*) fail "unknown option $1; usage: labs/int8_acceptance/int8_acceptance.sh [FOLDER] [--rows=1,4] [--only=A,B] [--output=DIR]" \
      "[--evaluations=N] [--budget=S] [--threads=N] [--no_build] [--table]" ;;
    *) folder=$1 ;;
  esac
  shift
done
[[ $rows =~ ^[1-9](,[1-9])*$ ]] || fail "--rows expects numbers from 1 to 9 such as 1,4, found '$rows'"
folder=${folder:-${HALFTONE_SHARED_DIR:-$repository/../shared}/models}
programs=$repository/build/release/bin
program=$programs/halftone_int8_acceptance
halftone=$programs/halftone
mkdir -p "$output"

library=${ORT_LIBRARY:-}
if [[ -z $library ]]; then
  library=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/halftone/onnxruntime" -mindepth 2 -maxdepth 2 \
    -name libonnxruntime.so.1 2>/dev/null | sort -V | tail -n 1)
fi

has_row() { [[ ,$rows, == *,$1,* ]]; }

# networks <name>...: the folders of those that are there and that --only names.
networks() {
  local name
  for name in "$@"; do
    if [[ -n $only && ,$only, != *,$name,* ]]; then
      continue
    fi
    if [[ $name == digits && -e $repository/examples/digits/model.onnx ]]; then
      printf '%s\n' "$repository/examples/digits"
    elif [[ -e $folder/$name/model.onnx ]]; then
      printf '%s\n' "$folder/$name"
    fi
  done
}

# figures <part> <file> <option or network>...: by the program, unless the file is there. A network each, so that
# the peak of memory is that of the network and a run that ends early keeps what it has.
figures() {
  local part=$1 file=$2 option network options=() folders=() files=()
  shift 2
  for option in "$@"; do
    if [[ $option == --* ]]; then options+=("$option"); else folders+=("$option"); fi
  done
  mkdir -p "$output/$file"
  for network in "${folders[@]}"; do
    local name=${network#"$folder"/}
    name=${name#"$repository"/examples/}
    files=("$output/$file/${name//\//_}.json")
    if [[ ! -e ${files[0]} ]]; then
      say "$part: $name" >&2
      "$program" --part="$part" --threads="$threads" --json="${files[0]}" "${options[@]}" "$network" ||
        printf '%s: %s failed\n' "$name" "$part" >&2
    fi
  done
}

# tests <file> <program> <filter>: GoogleTest's report of them, and what they print in FILE.log.
tests() {
  if [[ -e $output/$1.json ]]; then
    return
  fi
  if [[ ! -x $programs/$2 ]]; then
    printf '%s is not there\n' "$programs/$2" >&2
    return
  fi
  say "$2 $3" >&2
  ORT_LIBRARY=$library "$programs/$2" --gtest_filter="$3" --gtest_output=json:"$output/$1.json" >"$output/$1.log" 2>&1 ||
    true
}

# tune <name of the result> <network> <option>...: its front.json, with what it cost in cost.txt.
tune() {
  local result=$output/tune/$1 network=$2 data=()
  shift 2
  if [[ -e $result/front.json ]]; then
    return
  fi
  if [[ -e $network/search_inputs.npy ]]; then
    data=(--inputs="$network/search_inputs.npy" --labels="$network/search_labels.npy")
  elif [[ -d $network/eval ]]; then
    data=(--inputs="$network/eval" --max_samples=256)
  else
    data=(--inputs="$network")
  fi
  say "tuning $(basename "$network") $*" >&2
  mkdir -p "$result"
  "$halftone" tune --model="$network/model.onnx" "${data[@]}" --threads="$threads" --no_bank --confidence=none \
    --budget="$evaluations" --output="$result" "$@" >"$result/tune.log" 2>&1 ||
    printf '%s: %s\n' "$result" "$(tail -n 1 "$result/tune.log")" >&2
}

# quantised_point <report>: the folder of its fastest point with int8; nothing without one.
quantised_point() {
  [[ -e $1/front.json ]] || return 0
  python3 -c '
import json, sys
with open(sys.argv[1] + "/front.json", encoding="utf-8") as file:
    front = json.load(file)["front"]
folders = [p["folder"] for p in front if any("qint8" in f for f in p["options"].get("node_formats", {}).values())]
print(*(sys.argv[1] + "/" + folder for folder in folders[:1]))' "$1"
}

trained=(micro-kws mnist digits squeezenet magika stories260k katago-resnet-b6c96 katago-transformer-b7c96)
# Those that docs/measurements/performance.md compares with int8 of ONNX Runtime, and trained networks of their kinds.
compared=(dnsmos super-resolution yolox-nano squeezenet deeplab-mnv2-portrait katago-resnet-b6c96 light/bert_base
  light/efficientnet_b0 light/mobilenet_v2 light/resnet50 light/squeezenet light/vgg19 light/vit_b_16)
# The shared networks, those that take least time first, and digits in place of the quantised one.
shared=(digits mnist micro-kws squeezenet face-landmarks-mnv3 super-resolution ppocr-cls magika dtln-1 silero-vad gtcrn
  yunet-320 nnsplit-en stories260k stories260k-decode nanodet-m katago-resnet-b6c96 gpt-untrained dnsmos yolox-nano
  deeplab-mnv2-portrait ppocr-det katago-transformer-b7c96 squeezenet-fp16)
# What the probes alone predict, with bias correction and without: two MobileNets, and networks that take seconds.
alone=(digits mnist micro-kws face-landmarks-mnv3 ppocr-cls)

if [[ -n $measure ]]; then
  if [[ -n $build ]]; then
    targets=()
    if has_row 1; then targets+=(halftone_quantization_tests); fi
    if has_row 2; then targets+=(halftone_kernels_tests); fi
    if has_row 3; then targets+=(halftone_labs_tests); fi
    build_preset release halftone halftone_int8_acceptance "${targets[@]}" >&2
  fi
  [[ -x $program && -x $halftone ]] || fail "no programs in $programs: leave --no_build out"
  if has_row 1; then
    tests golden halftone_quantization_tests '*'
  fi
  if has_row 2 && [[ ! -e $output/kernels.xml && -x $programs/halftone_kernels_tests ]]; then
    say "kernels of 8 bits on every instruction set" >&2
    ctest --test-dir "$repository/build/release" -R '^kernels_quantized' --output-junit "$output/kernels.xml" \
      >"$output/kernels.log" 2>&1 || true
  fi
  if has_row 3; then
    tests qdq halftone_labs_tests '*QdqInRuntime*'
  fi
  mapfile -t folders < <(networks "${trained[@]}")
  if has_row 4 && ((${#folders[@]} > 0)); then
    figures accuracy accuracy "${folders[@]}"
    mapfile -t folders < <(networks micro-kws)
    if ((${#folders[@]} > 0)) && [[ -e $folder/micro-kws-qdq/model.onnx ]]; then
      figures rival rival --rival="$folder/micro-kws-qdq" "${folders[@]}"
    fi
  fi
  mapfile -t folders < <(networks "${compared[@]}")
  if ((${#folders[@]} > 0)) && [[ -n $library ]]; then
    if has_row 5; then
      figures error error --library="$library" "${folders[@]}"
    fi
    if has_row 6; then
      figures speed speed --library="$library" --budget="$budget" --op_bank_path="$output/bank" "${folders[@]}"
    fi
  fi
  # Row 3 takes its point of squeezenet from these, row 4 the best mixed points.
  if has_row 7 || has_row 8; then
    while read -r network; do
      name=$(basename "$network")
      tune "$name/on" "$network" --quantize=on
      if has_row 7; then
        tune "$name/off" "$network" --quantize=off
      fi
    done < <(networks "${shared[@]}")
  elif has_row 3 || has_row 4; then
    while read -r network; do
      tune "$(basename "$network")/on" "$network" --quantize=on
    done < <(networks squeezenet micro-kws magika)
  fi
  if has_row 8; then
    mapfile -t folders < <(networks "${alone[@]}")
    if ((${#folders[@]} > 0)); then
      figures prediction prediction --max_samples=24 "${folders[@]}"
    fi
  fi
  mapfile -t folders < <(networks squeezenet)
  if has_row 3 && ((${#folders[@]} > 0)) && [[ -n $library ]]; then
    point=$(quantised_point "$output/tune/squeezenet/on")
    if [[ -n $point ]]; then
      figures qdq qdq_point --library="$library" --point="$point" "${folders[@]}"
    fi
  fi
  if has_row 9 && ((${#folders[@]} > 0)); then
    figures cost cost --cost_samples=64 "${folders[@]}"
  fi
fi
python3 "$repository/labs/int8_acceptance/int8_acceptance_table.py" "$output" --models="$folder" --rows="$rows" --command="$command_line" \
  --version="$("$halftone" --version 2>/dev/null | head -n 1)" --commit="$(git -C "$repository" rev-parse --short HEAD 2>/dev/null)"
