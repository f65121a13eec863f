// halftone_fusions: gain of fusions. Each network with all fusions is measured against the same
// network without the fusions named, in paired rounds in one process. Networks are files, generated
// sequences of element-wise operators (labs/fusions/chain_networks.h), or the patterns of
// labs/fusions/pattern_networks.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "labs/fusions/chain_networks.h"
#include "labs/fusions/pattern_networks.h"
#include "labs/support/network_bench.h"
#include "search/measure/paired_rounds.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

struct Arguments : NetworkArguments {
  std::vector<std::string> off;
  double budget_s = 4;
  std::size_t nodes = 0;
  bool chains = false;
  bool patterns = false;
  std::map<std::string, Graph, std::less<>> generated;  // by name
};

// One form of a network, ready to run.
struct Participant {
  Graph graph;
  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

Graph GraphOf(const std::string& name, const Arguments& arguments, bool fused) {
  ModelOptions options{.path = name, .input_shape = arguments.input_shape};
  if (!fused) {
    options.fusions_off.insert(arguments.off.begin(), arguments.off.end());
  }
  const auto generated = arguments.generated.find(name);
  if (generated == arguments.generated.end()) {
    return LoadModel(options).graph;
  }
  Graph graph = generated->second;
  Canonicalize(graph, options.fusions_off);
  return graph;
}

Participant ParticipantOf(const std::string& name, const Arguments& arguments, bool fused) {
  Graph graph = GraphOf(name, arguments, fused);
  const TargetSpec target = LoadTarget("host");
  const PrecisionOptions options =
      LoadPrecision({.precision_mode = arguments.precision_mode}, target).options;
  Executable executable = Compile(graph, ResolvePrecision(graph, options, target));
  const Dataset data = LoadDataset(graph, {.max_samples = 1, .generated_samples = 1});
  std::vector<Tensor> inputs = executable.ConvertInputs(data.Read(0).inputs);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  return {std::move(graph), std::move(executable), std::move(workspace), std::move(inputs),
          std::move(outputs)};
}

// Seconds and kernels of steps, by the fused node that they are part of.
struct NodeTimes {
  double seconds[2] = {0, 0};
  std::array<std::string, 2> kernels;
};

// The steps of one run, each the fastest of several runs.
std::vector<double> StepTimes(Participant& one) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> fastest(one.executable.steps().size(), 1e9);
  for (int run = 0; run < 20; ++run) {
    Clock::time_point last = Clock::now();
    one.executable.RunTimed(one.workspace, one.inputs, one.outputs, [&](std::size_t step) {
      const auto now = Clock::now();
      const double s = std::chrono::duration<double>(now - last).count();
      fastest[step] = std::min(fastest[step], s);
      last = Clock::now();
    });
  }
  return fastest;
}

void PrintNodes(Participant (&participants)[2], const ThreadPool& pool, std::size_t count) {
  std::map<std::string, std::string, std::less<>> fused_of;  // by name of any origin
  for (const Node& node : participants[0].graph.nodes) {
    for (const Origin& origin : node.origins) {
      fused_of.emplace(origin.name, node.name);
    }
  }
  std::map<std::string, NodeTimes> nodes;
  for (const std::size_t which : {0, 1}) {
    std::vector<double> times;
    pool.Run([&] { times = StepTimes(participants[which]); });
    for (std::size_t s = 0; s < times.size(); ++s) {
      const StepInfo& step = participants[which].executable.steps()[s];
      const auto fused = fused_of.find(step.node);
      NodeTimes& node = nodes[fused != fused_of.end() ? fused->second : step.node];
      node.seconds[which] += times[s];
      node.kernels[which] += (node.kernels[which].empty() ? "" : " + ") + step.kernel;
    }
  }
  std::vector<std::pair<std::string, NodeTimes>> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second.seconds[0] - a.second.seconds[1]) >
           std::abs(b.second.seconds[0] - b.second.seconds[1]);
  });
  for (std::size_t i = 0; i < std::min(count, sorted.size()); ++i) {
    const auto& [name, times] = sorted[i];
    fmt::print("  {:>9.1f} us, {:>9.1f} unfused: {} ({}; {})\n", 1e6 * times.seconds[0],
               1e6 * times.seconds[1], name, times.kernels[0], times.kernels[1]);
  }
}

double CompareOne(const std::string& path, int threads, const Arguments& arguments) {
  Participant participants[] = {ParticipantOf(path, arguments, true),
                                ParticipantOf(path, arguments, false)};
  const ThreadPool pool(threads);
  const auto timed = [&](std::size_t which, std::int64_t runs) {
    Participant& one = participants[which];
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < runs; ++i) {
      pool.Run([&] { one.executable.Run(one.workspace, one.inputs, one.outputs); });
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const Latency latency = MeasurePairedRounds(1, timed, {.budget_s = arguments.budget_s}).front();
  fmt::print("{:<44} {:>7} {:>6} {:>6}   {:.4f} [{:.4f}, {:.4f}]\n", path, ThreadsText(threads),
             participants[0].executable.steps().size(), participants[1].executable.steps().size(),
             latency.ratio, latency.ratio_interval.low, latency.ratio_interval.high);
  PrintNodes(participants, pool, arguments.nodes);
  return latency.ratio;
}

void Generate(std::vector<GeneratedNetwork> networks, Arguments& arguments) {
  for (GeneratedNetwork& network : networks) {
    arguments.models.push_back(network.name);
    arguments.generated.emplace(network.name, std::move(network.graph));
  }
}

int Main(int argc, char** argv) {
  CLI::App app(
      "What fusions gain: each network with all fusions against itself without those named.");
  Arguments arguments;
  AddNetworkOptions(app, arguments);
  app.get_option("models")->required(false);
  app.add_flag("--chains", arguments.chains, "Generated chains of element-wise operators too");
  app.add_flag("--patterns", arguments.patterns,
               "Generated networks of what fusions look for around products too");
  app.add_option("--off", arguments.off,
                 "The fusions in question, as docs/internals/passes.md lists them")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  app.add_option("--budget", arguments.budget_s, "Seconds for each comparison")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--nodes", arguments.nodes,
                 "The nodes that differ most, with their kernels (single runs)")
      ->capture_default_str();
  return RunNetworkBench(app, argc, argv, [&] {
    if (arguments.chains) {
      Generate(ChainNetworks(), arguments);
    }
    if (arguments.patterns) {
      Generate(PatternNetworks(), arguments);
    }
    if (arguments.models.empty()) {
      throw Error(ErrorKind::kUsage,
                  "expected networks to measure, found none: name ONNX files, or give --chains or "
                  "--patterns");
    }
    fmt::print("{:<44} {:>7} {:>6} {:>6}   {}\n", "network", "threads", "steps", "were",
               "fused / unfused, 95 % interval");
    return ForEachNetwork(arguments, [&](const std::string& path, int threads) {
      return CompareOne(path, threads, arguments);
    });
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
