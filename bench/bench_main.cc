// halftone_bench: Google Benchmark over kernels and whole networks.
// halftone_bench --benchmark_filter='gemm.*' runs a part.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
