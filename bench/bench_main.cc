// halftone_bench: Google Benchmark over kernels and whole networks.
// halftone_bench --benchmark_filter='gemm.*' runs a part; --benchmark_list_tests names all.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/benches.h"
#include "src/base/error.h"

int main(int argc, char** argv) {
  try {
    halftone::RegisterPeakBenches();
    halftone::RegisterGemmBenches();
    halftone::RegisterPeerBenches();
    halftone::RegisterConvBenches();
    halftone::RegisterPoolBenches();
    halftone::RegisterByteOperatorBenches();
    halftone::RegisterLrnBenches();
    halftone::RegisterElementwiseBenches();
    halftone::RegisterMovementBenches();
    halftone::RegisterModelBenches();
    halftone::RegisterScalingBenches();
    halftone::RegisterDispatchBenches();
    halftone::RegisterSequenceBenches();
    halftone::RegisterResolveBenches();
    halftone::RegisterDatasetBenches();
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
