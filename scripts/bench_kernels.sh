#!/usr/bin/env bash
# The kernels of matrix products and convolutions against each other and against oneDNN's, one thread, in turns
# in one process: Markdown tables of medians.
#
#   scripts/bench_kernels.sh [gemm|conv]... [-- OPTIONS]
#
# OPTIONS go to halftone_bench; default --benchmark_min_time=0.1 --benchmark_repetitions=9.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

families=()
while (($# > 0)) && [[ $1 != -- ]]; do
  [[ $1 == gemm || $1 == conv ]] || fail "expected gemm or conv, found '$1'"
  families+=("$1")
  shift
done
(($# == 0)) || shift
options=("$@")
((${#options[@]} > 0)) || options=(--benchmark_min_time=0.1 --benchmark_repetitions=9)
((${#families[@]} > 0)) || families=(gemm conv)

cd -- "$repository"
require_packages build
build_preset release halftone_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for family in "${families[@]}"; do
  prefix=$family
  [[ $family == gemm ]] || prefix=conv_last
  build/release/bin/halftone_bench --benchmark_filter="^$prefix/" --benchmark_enable_random_interleaving=true \
    --benchmark_out="$work/$family.json" --benchmark_out_format=json "${options[@]}" >"$work/$family.log" 2>&1 ||
    fail "halftone_bench failed: $(tail -n 3 "$work/$family.log")"
  python3 scripts/bench_table.py "$family" "$work/$family.json"
done
