// Cost of reading a dataset and of measuring a plan's accuracy on all of it, as time per sample and
// peak memory, for growing sizes. The time per sample must not grow with the size, and the memory
// hardly.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/benches.h"
#include "search/measure/network_measurer.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/base/file_descriptor.h"
#include "src/ir/network_builder.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::int64_t kFeatures = 64;

// A classifier of a few microseconds: with so many samples, networks are small or nobody waits.
Graph Classifier() {
  NetworkBuilder net;
  const ValueId input = net.Input("x", {DType::kFloat32, Shape{1, kFeatures}});
  const ValueId hidden =
      net.Add(OpKind::kRelu,
              {net.Add(OpKind::kMatMul, {input, net.Random("w1", Shape{kFeatures, 32}, 0.2)})});
  return net.Finish(
      {net.Add(OpKind::kMatMul, {hidden, net.Random("w2", Shape{32, 10}, 0.3)}, {}, "logits")});
}

// A .npy file of so many samples that lives as long as this.
class SampleFile {
 public:
  explicit SampleFile(std::int64_t samples)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("halftone_bench_{}_{}.npy", ::getpid(), samples)) {
    constexpr std::int64_t kBlock = 10'000;
    Rng rng(1);
    Tensor block(DType::kFloat32, Shape{kBlock, kFeatures});
    for (float& value : block.mutable_values<float>()) {
      value = static_cast<float>(rng.Normal());
    }
    // The header of an empty file, with blanks behind it, has room for the number of samples.
    std::string header = FormatNpy(Tensor(DType::kFloat32, Shape{0, kFeatures}));
    const std::string shape = fmt::format("'shape': ({}, {}), }}", samples, kFeatures);
    header.replace(header.find("'shape'"), shape.size(), shape);
    std::ofstream file(path_, std::ios::binary);
    file << header;
    for (std::int64_t first = 0; first < samples; first += kBlock) {
      // No two blocks alike, so that no sample repeats another.
      block.mutable_values<float>()[0] = static_cast<float>(first);
      file.write(reinterpret_cast<const char*>(block.data()),
                 static_cast<std::streamsize>(std::min(kBlock, samples - first) * kFeatures * 4));
    }
    file.close();
    if (!file) {
      ThrowIo("write", path_, errno);
    }
  }

  ~SampleFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }

  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A line of /proc/self/status, in MiB.
double StatusMiB(std::string_view name) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(name)) {
      double kib = 0;
      const std::size_t digits = line.find_first_of("0123456789");
      std::from_chars(line.data() + digits, line.data() + line.size(), kib);
      return kib / 1024;
    }
  }
  return 0;
}

// The most memory that was resident at once since it was made, beyond what was then.
class PeakMemory {
 public:
  PeakMemory() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM starts anew (man proc)
    before_ = StatusMiB("VmRSS");
  }

  [[nodiscard]] double MiB() const { return std::max(0.0, StatusMiB("VmHWM") - before_); }

 private:
  double before_ = 0;
};

void Report(benchmark::State& state, double peak_mib) {
  const auto samples = static_cast<double>(state.range(0));
  state.counters["peak_MiB"] = peak_mib;
  state.counters["per_sample"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * samples,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

void Load(benchmark::State& state) {
  const SampleFile file(state.range(0));
  const Graph graph = Classifier();
  double peak_mib = 0;
  for (auto _ : state) {
    const PeakMemory memory;
    benchmark::DoNotOptimize(LoadDataset(graph, {.inputs = file.path()}).Hash());
    peak_mib = std::max(peak_mib, memory.MiB());
  }
  Report(state, peak_mib);
}

// The work of `run` without latency: reading, float32 on all samples, the plan on all samples.
void Judge(benchmark::State& state) {
  const SampleFile file(state.range(0));
  const Graph graph = Classifier();
  const PrecisionPlan plan =
      ResolvePrecision(graph, {.precision_mode = "force_fp16"}, LoadTarget("host"));
  double peak_mib = 0;
  for (auto _ : state) {
    const PeakMemory memory;
    const Dataset data = LoadDataset(graph, {.inputs = file.path()});
    const NetworkMeasurer measurer(graph, data, {.max_values = kMostResampled});
    benchmark::DoNotOptimize(measurer.MeasureAccuracy(plan));
    peak_mib = std::max(peak_mib, memory.MiB());
  }
  Report(state, peak_mib);
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
  bench->Complexity(benchmark::oN)->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterDatasetBenches() {
  Sizes(benchmark::RegisterBenchmark("dataset/load", Load));
  Sizes(benchmark::RegisterBenchmark("dataset/judge", Judge));
}

}  // namespace halftone
