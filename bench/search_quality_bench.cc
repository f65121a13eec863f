// How good a front each strategy has found after how many evaluations, on real networks with real
// kernels. All strategies of one network share the measurements: a plan is measured once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bench/network_bench.h"
#include "search/front_quality.h"
#include "search/network_measurer.h"
#include "search/network_prober.h"
#include "search/tuner.h"
#include "src/api/halftone.h"

namespace halftone {
namespace {

struct Arguments : NetworkArguments {
  std::vector<std::string> strategies = {"model", "greedy", "random"};
  std::vector<std::string> modes;
  std::string inputs;
  std::size_t max_trials = 200;
  std::int64_t max_samples = 16;
  double budget_s = 0.3;
  bool default_implementations = false;
  bool predictions = false;
  std::uint64_t seed = 1;
};

// Measures each plan once, whoever asks.
class SharedMeasurer : public Measurer {
 public:
  explicit SharedMeasurer(Measurer& measurer) : measurer_(measurer) {}

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override {
    const Hash128 digest = plan.Digest();
    if (const auto known = outcomes_.find(digest); known != outcomes_.end()) {
      return known->second;
    }
    return outcomes_.emplace(digest, measurer_.Measure(plan)).first->second;
  }

  // The front is judged by what the search saw.
  Latency Confirm(const PrecisionPlan& plan) override {
    const auto& outcome = outcomes_.at(plan.Digest());
    return std::get<Measurement>(outcome).latency;
  }

  [[nodiscard]] std::vector<Objectives> AllMeasured() const {
    std::vector<Objectives> all;
    for (const auto& [digest, outcome] : outcomes_) {
      if (const auto* measurement = std::get_if<Measurement>(&outcome)) {
        all.push_back(ObjectivesOf(*measurement));
      }
    }
    return all;
  }

 private:
  Measurer& measurer_;
  std::map<Hash128, std::variant<Measurement, Rejection>> outcomes_;
};

struct Course {
  std::string strategy;
  std::vector<double> quality;  // after 1, 2, ... evaluations
  std::vector<Trial> trials;
};

// The front of everything that was measured, and who found its members.
void PrintFront(const std::vector<Course>& courses) {
  std::vector<Trial> trials;
  std::vector<std::string> finders;
  for (const Course& course : courses) {
    for (const Trial& trial : course.trials) {
      if (trial.measurement() != nullptr) {
        trials.push_back(trial);
        finders.push_back(course.strategy);
      }
    }
  }
  for (const std::size_t i : ParetoFront(trials)) {
    const Objectives objectives = ObjectivesOf(*trials[i].measurement());
    fmt::print("    {:.4f} {:>6.1f} dB by {}: {}; kept: {}\n", objectives.latency_ratio,
               -20 * std::log10(objectives.loss), finders[i], Summary(trials[i].candidate),
               fmt::join(trials[i].kept_nodes, " "));
  }
}

double QualityAfter(const Course& course, std::size_t evaluations) {
  return course.quality.empty() || evaluations == 0
             ? 0
             : course.quality[std::min(evaluations, course.quality.size()) - 1];
}

void PrintInsight(const SearchInsight& insight, bool table) {
  for (const auto& prediction : insight.predictions) {
    if (table) {
      fmt::print("    {:.4f} {:>6.1f} dB predicted, {:.4f} {:>6.1f} dB measured: {}\n",
                 prediction.predicted.latency_ratio, -20 * std::log10(prediction.predicted.loss),
                 prediction.measured.latency_ratio, -20 * std::log10(prediction.measured.loss),
                 Summary(prediction.candidate));
    }
  }
  const PredictionErrors off = PredictionErrorsOf(insight);
  fmt::print(
      "  model: {} groups, probes cost {:.1f} evaluations, predictions off by {:.2f} dB and "
      "{:.1f} % in the median of {}\n",
      insight.groups.size(), insight.sensitivity.evaluations, off.decibels, 100 * off.latency,
      insight.predictions.size());
}

double CompareStrategies(const std::string& path, int threads, const Arguments& arguments) {
  const Model model = LoadModel({.path = path, .input_shape = arguments.input_shape});
  const TargetSpec target = LoadTarget("host");
  const std::string inputs =
      arguments.inputs.empty() ? "" : fmt::format("{}/{}", path, arguments.inputs);
  const Dataset data = LoadDataset(
      model.graph, {.inputs = inputs, .labels = {}, .max_samples = arguments.max_samples});
  TuneProblem problem{model.graph, target,
                      MakeSearchSpace(model.graph, target, {.modes = arguments.modes})};
  if (arguments.default_implementations) {
    problem.space.impl_mode_sets.resize(1);
  }
  SharedConstants shared;
  const CompileOptions compile{.shared = &shared};
  NetworkMeasurer network(model.graph, data,
                          {.threads = threads,
                           .quick_budget_s = arguments.budget_s,
                           .seed = arguments.seed,
                           .compile = compile});
  SharedMeasurer measurer(network);
  NetworkProber prober(model.graph, data,
                       {.threads = threads, .seed = arguments.seed, .compile = compile});
  std::vector<Course> courses;
  for (const std::string& name : arguments.strategies) {
    const auto strategy =
        MakeStrategy(name, problem.space,
                     {.seed = arguments.seed,
                      .network = StrategyNetwork{&problem.graph, &problem.target, &prober}});
    Course course{name, {}, {}};
    double probes = 0;
    std::vector<Objectives> seen;
    const TunerHooks hooks{.on_trial =
                               [&](const Trial& trial) {
                                 const SearchInsight* insight = strategy->insight();
                                 const double cost =
                                     insight == nullptr ? 0 : insight->sensitivity.evaluations;
                                 // The probes are evaluations in which nothing new was seen.
                                 for (; probes < cost; probes += 1) {
                                   course.quality.push_back(FrontQuality(seen));
                                 }
                                 if (const Measurement* measurement = trial.measurement()) {
                                   course.trials.push_back(trial);
                                   seen.push_back(ObjectivesOf(*measurement));
                                 }
                                 course.quality.push_back(FrontQuality(seen));
                               },
                           .on_progress = {},
                           .stop_requested = {},
                           .elapsed_s = {}};
    RunTuner(problem, *strategy, measurer, {.max_trials = arguments.max_trials}, {}, hooks);
    if (const SearchInsight* insight = strategy->insight()) {
      PrintInsight(*insight, arguments.predictions);
    }
    courses.push_back(std::move(course));
  }
  if (arguments.predictions) {
    PrintFront(courses);
  }
  const double best = FrontQuality(measurer.AllMeasured());
  const std::size_t nodes = problem.space.keepable_nodes.size();
  const std::size_t budgets[] = {nodes / 2, nodes, 2 * nodes, 120};
  fmt::print("{:<36} {:>5} nodes  {:>8} {:>8} {:>8} {:>8} {:>8}  (share of all fronts: {:.4f})\n",
             path, nodes, "N/2", "N", "2N", "120", "end", best);
  for (const Course& course : courses) {
    fmt::print("  {:<46}", course.strategy);
    for (const std::size_t budget : budgets) {
      fmt::print(" {:>8.4f}", QualityAfter(course, budget) / best);
    }
    fmt::print(" {:>8.4f} after {}\n", course.quality.empty() ? 0 : course.quality.back() / best,
               course.quality.size());
  }
  return best;
}

int Main(int argc, char** argv) {
  CLI::App app("What fronts the strategies find, by evaluations.");
  Arguments arguments;
  arguments.threads = {1};
  AddNetworkOptions(app, arguments);
  app.add_option("--strategies", arguments.strategies)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--modes", arguments.modes, "Precision modes to search; default: all")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--inputs", arguments.inputs,
                 "File or folder of samples below each network's folder; default: random ones");
  app.add_flag("--default_implementations", arguments.default_implementations,
               "Search dtypes alone");
  app.add_flag("--predictions", arguments.predictions, "Each prediction beside its measurement");
  app.add_option("--max_trials", arguments.max_trials)->capture_default_str();
  app.add_option("--max_samples", arguments.max_samples)->capture_default_str();
  app.add_option("--budget", arguments.budget_s, "Seconds in which each plan is timed")
      ->capture_default_str();
  app.add_option("--seed", arguments.seed)->capture_default_str();
  return RunNetworkBench(app, argc, argv, [&] {
    return ForEachNetwork(arguments, [&](const std::string& path, int threads) {
      return CompareStrategies(path, threads, arguments);
    });
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
