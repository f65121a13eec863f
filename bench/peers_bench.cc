// Matrix products of gemm_bench.cc by Eigen on one thread, so that one run gives the ratio:
//   halftone_bench --benchmark_filter='gemm/.*f32|peer' --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <Eigen/Core>

#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {

void RegisterPeerBenches() {
  for (const ShapeLine& line : ReadShapes("gemm.txt", 3)) {
    const std::string name =
        fmt::format("peer/gemm/{}/eigen_{}.{}.{}", line.name, EIGEN_WORLD_VERSION,
                    EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
    benchmark::RegisterBenchmark(name.c_str(), [line](benchmark::State& state) {
      using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Matrix a = Matrix::Random(line.values[0], line.values[2]);
      const Matrix b = Matrix::Random(line.values[2], line.values[1]);
      Matrix c(line.values[0], line.values[1]);
      for (auto _ : state) {
        c.noalias() = a * b;
        benchmark::DoNotOptimize(c.data());
      }
      const double operations =
          2.0 * static_cast<double>(line.values[0] * line.values[1] * line.values[2]);
      state.counters["op/s"] =
          benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
    });
  }
}

}  // namespace halftone
