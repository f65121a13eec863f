// halftone_aa: reliability of the comparison of a front's members. Two identical plans, each
// compiled separately, must seldom be called different (A/A), and a planted difference must be
// found (A/B). The planted difference is real work: a Tanh over as many constants as take the
// wanted share of the run, calibrated by a longer measurement. Nothing is simulated: real kernels,
// a real clock.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "labs/aa/calibrate_work.h"
#include "labs/support/network_bench.h"
#include "search/measure/compare_executables.h"
#include "search/trial/pareto_front.h"
#include "src/api/halftone.h"
#include "src/base/machine_watch.h"
#include "src/exec/executable.h"
#include "src/ir/network_builder.h"

namespace halftone {
namespace {

// Largest allowed share of errors of either kind: equal plans called different, planted differences
// missed.
constexpr double kMostWrong = 0.05;

struct Arguments {
  std::vector<std::string> models;
  int trials = 200;
  int threads = 1;
  double budget_s = CompareOptions{}.budget_s;
  double calibration_s = 10;
  double planted = 0.02;
  std::uint64_t seed = 1;
};

// Eight layers of a perceptron, a few tenths of a millisecond: what most small networks are like.
Graph Perceptron() {
  NetworkBuilder net;
  ValueId last = net.Input("x", {DType::kFloat32, Shape{32, 256}});
  for (int layer = 0; layer < 8; ++layer) {
    // Keeps activations of about 1.
    const ValueId weights = net.Random(fmt::format("w{}", layer), Shape{256, 256}, 0.09);
    last = net.Add(OpKind::kRelu, {net.Add(OpKind::kMatMul, {last, weights})});
  }
  return net.Finish({last});
}

Graph WithPlanted(const Graph& graph, std::int64_t elements) {
  Tensor values(DType::kFloat32, Shape{elements});
  for (float& value : values.mutable_values<float>()) {
    value = 0.5F;
  }
  NetworkBuilder net(graph);
  std::vector<ValueId> outputs = graph.outputs;
  outputs.push_back(
      net.Add(OpKind::kTanh, {net.Constant("planted_in", std::move(values))}, {}, "planted"));
  return net.Finish(std::move(outputs));
}

class Comparison {
 public:
  Comparison(const Graph& anchor, const Sample& sample, const ThreadPool& pool)
      : anchor_(anchor), sample_(sample), pool_(pool) {}

  [[nodiscard]] Latency Of(const Graph& candidate, double budget_s, std::uint64_t seed) const {
    return CompareExecutables([&] { return Compile(candidate, ReferencePlan(candidate)); },
                              [&] { return Compile(anchor_, ReferencePlan(anchor_)); }, sample_,
                              pool_, {.budget_s = budget_s, .seed = seed});
  }

 private:
  const Graph& anchor_;
  const Sample& sample_;
  const ThreadPool& pool_;
};

// Verdict of reports (FormatSpeedUp): the interval leaves 1 out, and the difference is no tie.
bool CalledDifferent(const Latency& latency) {
  return (latency.ratio_interval.low > 1 || latency.ratio_interval.high < 1) &&
         std::abs(latency.ratio - 1) >= kTieRatio;
}

struct Tally {
  int different = 0;
  int outside = 0;  // intervals that leave out what was planted
  double sum_of_half_widths = 0;
};

Tally Repeat(const Comparison& comparison, const Graph& candidate, double truth,
             const Arguments& arguments) {
  Tally tally;
  for (int trial = 0; trial < arguments.trials; ++trial) {
    const Latency latency = comparison.Of(candidate, arguments.budget_s,
                                          arguments.seed + static_cast<std::uint64_t>(trial) * 100);
    tally.different += CalledDifferent(latency) ? 1 : 0;
    tally.outside +=
        latency.ratio_interval.low > truth || latency.ratio_interval.high < truth ? 1 : 0;
    tally.sum_of_half_widths += latency.ratio_interval.half_width();
  }
  return tally;
}

void PrintRow(const std::string& network, const char* what, double truth, const Tally& tally,
              int trials, bool good) {
  fmt::print("{:<20} {:<10} {:>9.4f} {:>8} {:>10.1f} % {:>10.1f} % {:>8.2f} %  {}\n", network, what,
             truth, trials, 100.0 * tally.different / trials, 100.0 * tally.outside / trials,
             100 * tally.sum_of_half_widths / trials, good ? "good" : "BAD");
  std::fflush(stdout);
}

bool TestNetwork(const std::string& name, const Graph& graph, const Sample& sample,
                 const Arguments& arguments) {
  const ThreadPool pool(arguments.threads);
  const Comparison comparison(graph, sample, pool);
  const Tally same = Repeat(comparison, graph, 1, arguments);
  const bool same_good = same.different <= kMostWrong * arguments.trials;
  PrintRow(name, "identical", 1, same, arguments.trials, same_good);
  // A long measurement is taken for the truth.
  const CalibratedWork work = CalibrateWork(arguments.planted, [&](std::int64_t elements) {
    return comparison.Of(WithPlanted(graph, elements), arguments.calibration_s, arguments.seed + 7)
        .ratio;
  });
  const double truth = work.ratio;
  const Tally other = Repeat(comparison, WithPlanted(graph, work.elements), truth, arguments);
  const bool other_good = other.different >= (1 - kMostWrong) * arguments.trials;
  PrintRow(name, "planted", truth, other, arguments.trials, other_good);
  return same_good && other_good;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Whether identical plans are called different in at most 5 % of the trials, and a planted "
      "difference found in at least 95 %. Exit code 1: not.");
  Arguments arguments;
  app.add_option(
      "models", arguments.models,
      "ONNX files, or folders that hold model.onnx; default: a perceptron of eight layers");
  app.add_option("--trials", arguments.trials, "Of each kind")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--budget", arguments.budget_s, "Seconds of a comparison")->capture_default_str();
  app.add_option("--calibration", arguments.calibration_s,
                 "Seconds of a measurement of what is planted")
      ->capture_default_str();
  app.add_option("--planted", arguments.planted, "The difference that must be found")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed)->capture_default_str();
  return RunNetworkBench(app, argc, argv, [&] {
    fmt::print("{:<20} {:<10} {:>9} {:>8} {:>12} {:>12} {:>10}\n", "network", "plans", "ratio",
               "trials", "different", "missed it", "half-width");
    const MachineWatch watch;
    bool good = true;
    if (arguments.models.empty()) {
      const Graph graph = Perceptron();
      Tensor input(graph.value(graph.inputs.front()).type);
      Rng rng(2);
      for (float& value : input.mutable_values<float>()) {
        value = static_cast<float>(rng.Normal());
      }
      good = TestNetwork(graph.name, graph, {"random", {input}}, arguments);
    }
    for (const std::string& path : arguments.models) {
      const Model model = LoadModel({.path = path});
      const Dataset data = LoadDataset(model.graph, {.inputs = {}, .labels = {}});
      good = TestNetwork(model.name, model.graph, data.Read(0), arguments) && good;
    }
    fmt::print("{}\n", Describe(watch.facts(), watch.OtherCores()));
    if (const std::string warning = watch.Warning(); !warning.empty()) {
      fmt::print("warning: {}\n", warning);
    }
    return good ? 0 : 1;
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
