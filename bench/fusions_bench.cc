// halftone_fusions: what fusions gain. Each network with all fusions is measured against itself
// without those named, in paired rounds in one process.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "search/paired_rounds.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

constexpr std::string_view kUsage =
    "usage: halftone_fusions --off=A,B [options] MODEL...\n"
    "  MODEL               an .onnx file, or a folder that holds model.onnx\n"
    "  --off=A,B           the fusions in question (docs/import.md)\n"
    "  --threads=N,M       numbers of threads, one after the other (default 1,0; 0: all cores)\n"
    "  --precision_mode=M  (default must_keep_origin_dtype)\n"
    "  --input_shape=S     of free dimensions, as halftone has it; else 1\n"
    "  --budget=S          seconds for each comparison (default 4)\n"
    "  --nodes=N           the N nodes that differ most, with their kernels (single runs)\n";

struct Arguments {
  std::vector<std::string> models;
  std::vector<int> threads = {1, 0};
  std::set<std::string, std::less<>> off;
  std::string precision_mode = "must_keep_origin_dtype";
  std::string input_shape;
  double budget_s = 4;
  std::size_t nodes = 0;
};

template <typename Number>
Number NumberOf(std::string_view option, std::string_view text) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} expects a number of at least 0, found '{}'", option, text));
  }
  return number;
}

void AddArgument(std::string_view word, Arguments& arguments) {
  if (!word.starts_with("--")) {
    arguments.models.emplace_back(word);
    return;
  }
  const auto equals = word.find('=');
  const std::string_view option = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  if (option == "--threads") {
    arguments.threads.clear();
    for (const std::string_view number : Split(value, ',')) {
      arguments.threads.push_back(NumberOf<int>(option, number));
    }
  } else if (option == "--off") {
    for (const std::string_view name : Split(value, ',')) {
      arguments.off.emplace(name);
    }
  } else if (option == "--precision_mode") {
    arguments.precision_mode = value;
  } else if (option == "--input_shape") {
    arguments.input_shape = value;
  } else if (option == "--budget") {
    arguments.budget_s = NumberOf<double>(option, value);
  } else if (option == "--nodes") {
    arguments.nodes = NumberOf<std::size_t>(option, value);
  } else {
    throw Error(ErrorKind::kUsage, fmt::format("unknown option '{}'\n{}", word, kUsage));
  }
}

// One form of a network, ready to run.
struct Participant {
  Graph graph;
  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

Participant ParticipantOf(const std::string& path, const Arguments& arguments, bool fused) {
  const Model model = LoadModel({.path = path,
                                 .input_shape = arguments.input_shape,
                                 .fusions_off = fused ? decltype(arguments.off){} : arguments.off});
  const TargetSpec target = LoadTarget("host");
  const PrecisionOptions options =
      LoadPrecision({.precision_mode = arguments.precision_mode}, target).options;
  Executable executable = Compile(model.graph, ResolvePrecision(model.graph, options, target));
  const Dataset data = LoadDataset(model.graph, {.max_samples = 1, .generated_samples = 1});
  std::vector<Tensor> inputs = executable.ConvertInputs(data.samples[0].inputs);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  return {model.graph, std::move(executable), std::move(workspace), std::move(inputs),
          std::move(outputs)};
}

// Seconds and kernels of steps, by the fused node that they are part of.
struct NodeTimes {
  double seconds[2] = {};
  std::string kernels[2];
};

// The steps of one run, each the fastest of several runs.
std::vector<double> StepTimes(Participant& one) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> fastest(one.executable.steps().size(), 1e9);
  for (int run = 0; run < 20; ++run) {
    Clock::time_point last = Clock::now();
    one.executable.RunObserved(one.workspace, one.inputs, one.outputs,
                               [&](std::size_t step, std::span<void* const>) {
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
  fmt::print("{:<44} {:>7} {:>6} {:>6}   {:.4f} [{:.4f}, {:.4f}]\n", path,
             threads == 0 ? "all" : fmt::format("{}", threads),
             participants[0].executable.steps().size(), participants[1].executable.steps().size(),
             latency.ratio, latency.ratio_interval.low, latency.ratio_interval.high);
  PrintNodes(participants, pool, arguments.nodes);
  std::fflush(stdout);
  return latency.ratio;
}

int RunAll(const Arguments& arguments) {
  fmt::print("{:<44} {:>7} {:>6} {:>6}   {}\n", "network", "threads", "steps", "were",
             "fused / unfused, 95 % interval");
  int failed = 0;
  for (const int threads : arguments.threads) {
    double sum_of_logarithms = 0;
    int count = 0;
    for (const std::string& path : arguments.models) {
      try {
        sum_of_logarithms += std::log(CompareOne(path, threads, arguments));
        ++count;
      } catch (const Error& error) {
        fmt::print("{}: {}\n", path, error.what());
        ++failed;
      }
    }
    if (count > 0) {
      fmt::print("geometric mean of {} with {}: {:.4f}\n", Counted(count, "network"),
                 threads == 0 ? "all cores" : Counted(threads, "thread"),
                 std::exp(sum_of_logarithms / count));
    }
  }
  return failed == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help") {
      fmt::print("{}", kUsage);
      return 0;
    }
    AddArgument(argv[i], arguments);
  }
  if (arguments.models.empty() || arguments.off.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("no MODEL or no --off is given\n{}", kUsage));
  }
  return RunAll(arguments);
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  try {
    return halftone::Main(argc, argv);
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == halftone::ErrorKind::kUsage ? 2 : 1;
  }
}
