#!/usr/bin/env bash
# The latency of networks in float32 against ONNX Runtime, on this machine: a table, and as the last
# line the geometric means of theirs / ours with one and with two threads (above 1: halftone is faster).
#
#   labs/onnxruntime/bench_vs_onnxruntime.sh [FOLDER] [--budget=S] [--only=A,B] [--json=FILE] [--dim=NAME=N]
#                                   [--plan=NAME | --tuned=FOLDER] [--save=FOLDER]
#                                   [--peer=f32|f16|int8] [--profile=N] [--seed=N]
#   labs/onnxruntime/bench_vs_onnxruntime.sh [FOLDER] --best=BOUND [--threads=N] [--tune_budget=TIME] [--tuned=FOLDER]
#                                   [--save=FOLDER] [--measurements[=NAME]] [--budget=S] [--only=A,B] ...
#
# --plan is what halftone runs (f32, f16, mixed_bf16, ...) and --peer what ONNX Runtime runs; --profile adds where
# the time goes, with the N slowest nodes. halftone_vs_onnxruntime --help has all plans and defaults.
# The kernels of halftone are chosen by measurement for each network, as halftone tune does: a machine profile of
# some seconds comes first. --op_bank_path=FOLDER keeps it; --operator_tuning=off takes the static order.
# FOLDER holds a subfolder with a model.onnx for each network, and more of them in light/; without it
# $HALFTONE_SHARED_DIR/models or ../shared/models. ORT_VERSION chooses the release of the npm package
# onnxruntime-node whose library is used (else the newest); it is kept in ~/.cache/halftone.
# ORT_LIBRARY names a libonnxruntime.so.1 to use instead. Free dimensions called "sequence" are 128
# where a network has no test data. Exit code 1 when outputs disagree.
#
# --best=0.01 first tunes each network for the fastest point with a relative L2 error of at most 0.01, on its
# test data where it has some, within --tune_budget (as --budget of halftone tune; its default is 10min). Then
# float32 and that point run in turns with float32, float16 and int8 of ONNX Runtime, with N threads (default
# 1). The table comes last (labs/onnxruntime/best_table.py); its last row are the geometric means. --save keeps networks,
# knowledge base, reports and points in FOLDER: a network that has a front.json there is not tuned again.
# --tuned takes the points from FOLDER/NETWORK instead. --measurements also writes the table to
# docs/measurements/DATE-NAME-vs-onnxruntime.md.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

package=onnxruntime-node
cache=${XDG_CACHE_HOME:-$HOME/.cache}/halftone/onnxruntime

# The version to use: that of ORT_VERSION, else the newest one of the registry, else of the cache.
peer_version() {
  local version=${ORT_VERSION:-}
  if [[ -z $version ]] && command -v npm >/dev/null; then
    version=$(npm view --silent "$package" version 2>/dev/null) || version=
  fi
  if [[ -z $version && -d $cache ]]; then
    version=$(find "$cache" -mindepth 2 -maxdepth 2 -name libonnxruntime.so.1 -printf '%h\n' |
      sed 's|.*/||' | sort -V | tail -n 1)
  fi
  [[ -n $version ]] || fail "no ONNX Runtime: npm is not installed or reaches no registry, and $cache holds no library;" \
    "install npm, or set ORT_LIBRARY to a libonnxruntime.so.1"
  printf '%s\n' "$version"
}

# fetch_peer <version>: its library is in the cache afterwards.
fetch_peer() {
  local version=$1 folder=$cache/$1 work member
  if [[ -s $folder/libonnxruntime.so.1 ]]; then
    return
  fi
  command -v npm >/dev/null || fail "no ONNX Runtime $version in $cache and no npm to fetch it: install npm"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  # shellcheck disable=SC2064  # the folder is known now
  trap "rm -rf '$work'" EXIT
  say "fetching $package $version"
  (cd "$work" && npm pack --silent "$package@$version" >/dev/null) || fail "npm could not fetch $package@$version"
  member=$(tar tzf "$work"/*.tgz | grep -E "/linux/$peer_arch/libonnxruntime\.so\.1$" | head -n 1) ||
    fail "$package@$version holds no libonnxruntime.so.1 for linux/$peer_arch"
  tar xzf "$work"/*.tgz -C "$work" "$member"
  mkdir -p "$folder"
  mv "$work/$member" "$folder/libonnxruntime.so.1"
  rm -rf "$work"
}

# has_option <name> <argument>...: whether --name=VALUE is among the arguments.
has_option() {
  local name=$1 argument
  shift
  for argument in "$@"; do
    if [[ $argument == "--$name="* ]]; then
      return 0
    fi
  done
  return 1
}

# chosen_point <report>: the name of the folder of the chosen point; nothing where there is none.
chosen_point() {
  python3 -c '
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    front = json.load(file)["front"]
print(*(point["folder"] for point in front if point["chosen"]))' "$1/front.json"
}

# tune_networks <name>...: a point for each network in $points, as --tuned reads them. Uses the variables of
# compare_best.
tune_networks() {
  local name tune report point code
  for name in "$@"; do
    report=$reports/$name
    tune=("$halftone" tune --threads="$threads" --goal="max_rel_l2=$best" --confidence=none --op_bank_path="$work/bank"
      --output="$report" "${tune_options[@]}")
    if [[ -d $models/$name/test_data_set_0 ]]; then
      tune+=(--model="$models/$name/model.onnx" --inputs="$models/$name")
    else
      tune+=(--model="$work/networks/$name/model.onnx")
    fi
    code=0
    if [[ ! -e $report/front.json ]]; then
      say "tuning $name" >&2
      mkdir -p "$report"
      "${tune[@]}" >"$report/tune.log" 2>&1 || code=$?
    fi
    if ((code == 130)); then
      exit "$code"
    fi
    point=
    if ((code == 0)) && [[ -e $report/front.json ]]; then
      point=$(chosen_point "$report")
    fi
    rm -rf "${points:?}/$name"
    if [[ -z $point ]]; then
      printf '%s: not tuned: %s\n' "$name" "$(tail -n 1 "$report/tune.log" 2>/dev/null)" >&2
      continue
    fi
    mkdir -p "$(dirname -- "$points/$name")"
    cp -r "$report/$point" "$points/$name"
  done
}

# compare_best <argument>...: the table for --best.
compare_best() {
  local best='' threads=1 work='' points='' json='' argument code=0
  local tune_options=() compare=() table=(--command="labs/onnxruntime/bench_vs_onnxruntime.sh <models> $*")
  local halftone=$repository/build/release/bin/halftone listed names reports
  for argument in "$@"; do
    case $argument in
      --best=*) best=${argument#*=} ;;
      --threads=*) threads=${argument#*=} ;;
      --tune_budget=*)
        [[ ${argument#*=} =~ ^[0-9]+(\.[0-9]+)?(s|min|h)?$ ]] ||
          fail "--tune_budget expects a number of plans or a time, such as 120, 90s, 10min, 2h; found '${argument#*=}'"
        tune_options=(--budget="${argument#*=}")
        ;;
      --tuned=*) points=${argument#*=} ;;
      --save=*) work=${argument#*=} ;;
      --json=*) json=${argument#*=} ;;
      --measurements) table+=(--measurements=) ;;
      --measurements=*) table+=(--measurements="${argument#*=}") ;;
      --help) exec "$program" --help ;;
      *) compare+=("$argument") ;;
    esac
  done
  if [[ -n $work ]]; then
    mkdir -p "$work"
  else
    work=$(mktemp -d)
    # shellcheck disable=SC2064  # the folder is known now
    trap "rm -rf '$work'" EXIT
  fi
  json=${json:-$work/best.json}
  reports=$work/tuned/$best-$threads
  compare=("$program" --library="$library" --models="$models" --dim=sequence=128 --best="$best" --threads="$threads"
    --json="$json" --op_bank_path="$work/bank" --tuned="${points:-$work/points/$best-$threads}" "${compare[@]}")
  if [[ -z $points ]]; then
    points=$work/points/$best-$threads
    listed=$("${compare[@]}" --prepare="$work/networks")  # a wrong option ends here
    mapfile -t names < <(printf '%s' "${listed:+$listed$'\n'}")
    tune_networks "${names[@]}"
  fi
  rm -f "$json"
  "${compare[@]}" >&2 || code=$?
  [[ -s $json ]] || exit "$code"
  python3 "$repository/labs/onnxruntime/best_table.py" "$json" "${table[@]}"
  exit "$code"
}

case $(uname -m) in
  x86_64) peer_arch=x64 ;;
  aarch64) peer_arch=arm64 ;;
  *) fail "$package has no library for $(uname -m)" ;;
esac

models=${HALFTONE_SHARED_DIR:-$repository/../shared}/models
if (($# > 0)) && [[ $1 != -* ]]; then
  models=$1
  shift
fi
[[ -d $models ]] || fail "no folder '$models': give the folder of the networks"
models=$(cd -- "$models" && pwd)

if ! has_option best "$@"; then
  for argument in "$@"; do
    case $argument in
      --tune_budget=* | --measurements | --measurements=*) fail "${argument%%=*} belongs to --best, which is not given" ;;
    esac
  done
fi

library=${ORT_LIBRARY:-}
if [[ -z $library ]]; then
  version=$(peer_version)
  fetch_peer "$version"
  library=$cache/$version/libonnxruntime.so.1
fi
[[ -f $library ]] || fail "no library '$library': ORT_LIBRARY names a libonnxruntime.so.1"
library=$(realpath -- "$library")

started_in=$PWD
cd -- "$repository"
require_packages build
targets=(halftone_vs_onnxruntime)
if has_option best "$@"; then
  targets+=(halftone)
fi
build_preset release "${targets[@]}"
cd -- "$started_in"
program=$repository/build/release/bin/halftone_vs_onnxruntime
if has_option best "$@"; then
  compare_best "$@"
fi
"$program" --library="$library" --models="$models" --dim=sequence=128 "$@"
