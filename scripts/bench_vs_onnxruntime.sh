#!/usr/bin/env bash
# The latency of networks in float32 against ONNX Runtime, on this machine: a table, and as the last
# line the geometric means of theirs / ours with one and with two threads (above 1: halftone is faster).
#
#   scripts/bench_vs_onnxruntime.sh [FOLDER] [--budget=S] [--only=A,B] [--json=FILE] [--dim=NAME=N]
#                                   [--plan=NAME | --tuned=FOLDER] [--save=FOLDER]
#                                   [--peer=f32|int8] [--profile=N] [--seed=N]
#
# --plan is what halftone runs (f32, f16, mixed_bf16, ...) and --peer what ONNX Runtime runs; --profile adds where
# the time goes, with the N slowest nodes. halftone_vs_onnxruntime --help has all plans and defaults.
# FOLDER holds a subfolder with a model.onnx for each network, and more of them in light/; without it
# $HALFTONE_SHARED_DIR/models or ../shared/models. ORT_VERSION chooses the release of the npm package
# onnxruntime-node whose library is used (else the newest); it is kept in ~/.cache/halftone.
# ORT_LIBRARY names a libonnxruntime.so.1 to use instead. Free dimensions called "sequence" are 128
# where a network has no test data. Exit code 1 when outputs disagree.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

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
build_preset release halftone_vs_onnxruntime
cd -- "$started_in"
"$repository/build/release/bin/halftone_vs_onnxruntime" --library="$library" --models="$models" --dim=sequence=128 "$@"
