#!/usr/bin/env bash
# The kernels of matrix products and convolutions against each other and against oneDNN's, one thread, in turns
# in one process: Markdown tables of medians.
#
#   scripts/bench_kernels.sh [gemm|conv|gemv|s8_gemm|s8_conv|amx|parts|fp16|halves]... [-- OPTIONS]
#
# amx, parts and fp16, not by default, are for CPUs with AMX and with AVX512-FP16, in one command; elsewhere their columns are empty.
# amx: the tiles of AMX against oneDNN's, and against those on vdpbf16ps and vpdpbusd. parts: float32 as 6 and 3 products of bfloat16 parts
# against multiply-adds. fp16: float16 multiply-adds against float32's, in products and convolutions.
# halves: operators without products that have a float16 kernel without conversion, against float32, in the cache.
# gemv: few rows with weights from memory, float32 and int8; s8_gemm, s8_conv: float32 and int8 of the shapes of gemm, conv.
#
# OPTIONS go to halftone_bench; default --benchmark_min_time=0.1 --benchmark_repetitions=9.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

families=()
while (($# > 0)) && [[ $1 != -- ]]; do
  [[ $1 =~ ^(gemm|conv|gemv|s8_gemm|s8_conv|amx|parts|fp16|halves)$ ]] ||
    fail "expected gemm, conv, gemv, s8_gemm, s8_conv, amx, parts, fp16 or halves, found '$1'"
  families+=("$1")
  shift
done
(($# == 0)) || shift
options=("$@")
((${#options[@]} > 0)) || options=(--benchmark_min_time=0.1 --benchmark_repetitions=9)
((${#families[@]} > 0)) || families=(gemm conv gemv s8_gemm s8_conv)

cd -- "$repository"
require_packages build
build_preset release halftone_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for family in "${families[@]}"; do
  case $family in
    gemm) filter='^gemm/.*/(f32|f16|bf16)$' ;;
    conv) filter='^conv_last/.*/(f32|f16|bf16)$' ;;
    gemv) filter='^gemv_cold/.*/(f32|u8)$' ;;
    s8_gemm) filter='^gemm/.*/(f32|u8)$' ;;
    amx) filter='^gemm/.*/(bf16|u8)$' ;;
    parts) filter='^gemm/.*/f32$' ;;
    fp16) filter='^(gemm|conv_last)/.*/(f32|f16)$' ;;
    halves) filter='^((unary[.](ceil|clip|floor|neg|reciprocal|relu|round|sqrt)|binary|softmax[.]softmax|normalization[.](layer|rms))[.][^/]*/(f32|f16)/4096|pool.*/max/.*/(f32|f16))$' ;;
    s8_conv) filter='^conv_last/.*/(f32|u8)$' ;;
  esac
  build/release/bin/halftone_bench --benchmark_filter="$filter" --benchmark_enable_random_interleaving=true \
    --benchmark_out="$work/$family.json" --benchmark_out_format=json "${options[@]}" >"$work/$family.log" 2>&1 ||
    fail "halftone_bench failed: $(tail -n 3 "$work/$family.log")"
  python3 scripts/bench_table.py "$family" "$work/$family.json"
done
