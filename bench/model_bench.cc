// Whole networks in float32 and in each precision mode, on one thread and on all: the shipped
// example, and the networks of HALFTONE_SHARED_DIR (or ../shared beside the source tree) if they
// exist.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/benches.h"
#include "kernels/parallel.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct Network {
  std::string name;
  fs::path path;
  std::string inputs;
};

std::vector<Network> Networks() {
  const fs::path source(HALFTONE_SOURCE);
  std::vector<Network> networks = {{"digits", source / "examples/digits/model.onnx",
                                    source / "examples/digits/search_inputs.npy"}};
  const char* shared = std::getenv("HALFTONE_SHARED_DIR");
  const fs::path models =
      (shared != nullptr ? fs::path(shared) : source / ".." / "shared") / "models";
  std::error_code error;
  std::vector<Network> found;
  for (const fs::path& folder : {models, models / "light"}) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (fs::exists(entry.path() / "model.onnx", error)) {
        const bool has_data = fs::exists(entry.path() / "test_data_set_0", error);
        found.push_back({(folder == models ? "" : "light_") + entry.path().filename().string(),
                         entry.path(), has_data ? entry.path().string() : ""});
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Network& a, const Network& b) { return a.name < b.name; });
  networks.insert(networks.end(), found.begin(), found.end());
  return networks;
}

void BenchNetwork(benchmark::State& state, const Network& network, const std::string& mode,
                  int threads) {
  try {
    const Model model = LoadModel({.path = network.path, .inputs = network.inputs});
    const std::vector<Tensor> inputs =
        LoadDataset(model.graph,
                    {.inputs = network.inputs, .max_samples = 1, .generated_samples = 1})
            .Read(0)
            .inputs;
    const PrecisionPlan plan =
        mode == "fp32"
            ? ReferencePlan(model.graph)
            : ResolvePrecision(model.graph, {.precision_mode = mode}, LoadTarget("host"));
    const Executable executable = Compile(model.graph, plan);
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> outputs;
    for (const TensorType& type : executable.output_types()) {
      outputs.emplace_back(type);
    }
    const ThreadPool pool(threads);
    for (auto _ : state) {
      pool.Run([&] { executable.Run(workspace, inputs, outputs); });
    }
    state.counters["arena_bytes"] = static_cast<double>(executable.peak_arena_bytes());
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

void RegisterNetwork(const Network& network, const std::string& mode, int threads) {
  const std::string name = "model/" + network.name + "/" + mode + (threads == 1 ? "/1" : "/all");
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { BenchNetwork(state, network, mode, threads); })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void RegisterModelBenches() {
  for (const Network& network : Networks()) {
    for (const char* mode : {"fp32", "force_fp16", "allow_mix_precision_bf16"}) {
      for (const int threads : {1, 0}) {
        RegisterNetwork(network, mode, threads);
      }
    }
  }
}

}  // namespace halftone
