// Peak figures of this machine: the counter of_roof of the kernel rows is relative to them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "bench/benches.h"
#include "bench/peak/bandwidth.h"
#include "bench/peak/instruction_peak.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

// Sum of the rates of one measurement on every thread at once.
double RateOfAll(const ThreadPool& pool, double (*measure)(std::int64_t), std::int64_t argument) {
  std::vector<double> rates(static_cast<std::size_t>(pool.threads()));
  pool.Run([&] {
    ParallelFor(pool.threads(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        rates[static_cast<std::size_t>(i)] = measure(argument);
      }
    });
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

// An iteration is one measurement; the counter is the mean rate.
void RegisterPeak(const std::string& name, int threads, double (*measure)(std::int64_t),
                  std::int64_t argument) {
  const std::string full = fmt::format("peak/{}/threads:{}", name, threads);
  benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
    const ThreadPool pool(threads);
    double sum = 0;
    for (auto _ : state) {
      sum += RateOfAll(pool, measure, argument);
    }
    state.counters["rate"] = sum / static_cast<double>(state.iterations());
  })->Iterations(10);
}

void RegisterInstructions(int threads) {
  const auto measure = [](std::int64_t row) {
    return InstructionPeaks()[static_cast<std::size_t>(row)].measure();
  };
  for (std::size_t i = 0; i < InstructionPeaks().size(); ++i) {
    const InstructionPeak& peak = InstructionPeaks()[i];
    if (peak.is_here()) {
      RegisterPeak(std::string(peak.name), threads, measure, static_cast<std::int64_t>(i));
    }
  }
}

}  // namespace

void RegisterPeakBenches() {
  for (const int threads : {1, 2}) {
    RegisterInstructions(threads);
    for (const std::int64_t kib : {32, 512, 4096, 16384, 65536, 262144}) {
      RegisterPeak(
          fmt::format("read_{}KiB", kib), threads,
          [](std::int64_t bytes) { return MeasureBandwidth(bytes).read; }, kib * 1024);
      RegisterPeak(
          fmt::format("copy_{}KiB", kib), threads,
          [](std::int64_t bytes) { return MeasureBandwidth(bytes).copy; }, kib * 1024);
      RegisterPeak(
          fmt::format("copy_streamed_{}KiB", kib), threads,
          [](std::int64_t bytes) { return MeasureBandwidth(bytes).copy_streamed; }, kib * 1024);
    }
  }
}

}  // namespace halftone
