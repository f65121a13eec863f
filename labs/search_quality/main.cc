// Search quality: the front that each strategy has found after a number of evaluations, on real
// networks with real kernels. All strategies of one network share the measurements: a plan is
// measured once. Networks are files, or block-SEED for a generated block of a transformer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "labs/search_quality/search_courses.h"
#include "labs/search_quality/transformer_network.h"
#include "labs/support/network_bench.h"
#include "search/measure/network_measurer.h"
#include "search/probe/network_prober.h"
#include "search/trial/front_quality.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/vocabulary.h"

namespace halftone {
namespace {

constexpr std::string_view kGenerated = "block-";
constexpr std::string_view kExhaustive = "exhaustive";

struct Arguments : NetworkArguments {
  std::vector<std::string> strategies = {"model", "greedy", "random"};
  std::vector<std::string> modes;
  std::string inputs;
  std::size_t max_trials = 200;
  double seconds = 0;
  std::int64_t max_samples = 16;
  double budget_s = 0.3;
  double confirm_budget_s = 2;
  std::string json;
  bool one_implementation = false;
  bool predictions = false;
  bool fronts = false;
  std::uint64_t seed = 1;
};

void PrintInsight(const SearchInsight& insight, bool table) {
  for (const auto& prediction : insight.predictions) {
    if (table) {
      fmt::print("    {:.4f} {:>6.1f} dB predicted, {:.4f} {:>6.1f} dB measured: {}\n",
                 prediction.predicted.latency_ratio, -20 * std::log10(prediction.predicted.loss),
                 prediction.measured.latency_ratio, -20 * std::log10(prediction.measured.loss),
                 Summary(prediction.candidate, VocabularyOfTarget("host")));
    }
  }
  const PredictionErrors off = PredictionErrorsOf(insight);
  fmt::print(
      "  model: {} groups, probes cost {:.1f} evaluations, predictions off by {:.2f} dB and "
      "{:.1f} % in the median of {}\n",
      insight.groups.size(), insight.sensitivity.evaluations, off.decibels, 100 * off.latency,
      insight.predictions.size());
}

void PrintFront(const std::string& strategy, const std::vector<JudgedMember>& front) {
  fmt::print("  front of {}\n", strategy);
  for (const JudgedMember& member : front) {
    fmt::print("    {:.4f} {:>6.1f} dB: {}\n", member.judged.latency_ratio,
               -20 * std::log10(member.judged.loss),
               Summary(member.candidate, VocabularyOfTarget("host")));
  }
}

// The network to search: of a file, or generated for a name like "block-3".
Graph GraphOf(const std::string& path, const Arguments& arguments) {
  if (path.starts_with(kGenerated)) {
    const std::string text = path.substr(kGenerated.size());
    std::uint64_t seed = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (code != std::errc() || end != text.data() + text.size()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is no generated network: expected {}NUMBER, or the path of a "
                              "model file",
                              path, kGenerated));
    }
    return TransformerBlock({}, seed);
  }
  return LoadModel({.path = path, .input_shape = arguments.input_shape}).graph;
}

// Leaves the set of the most exact implementations; a network in which no operator has two has only
// the default set.
void KeepMostExact(std::vector<ImplModeSet>& sets) {
  const auto exact = std::ranges::find(sets, NameOf(ImplMode::kHighPrecision), &ImplModeSet::name);
  sets = {exact == sets.end() ? sets.front() : *exact};
}

// Doublings up to all of the time.
std::vector<double> TimesOf(double most) {
  std::vector<double> times;
  for (double time = most; time > most / 20; time /= 2) {
    times.insert(times.begin(), time);
  }
  return times;
}

// Half, rounded up, once and twice as many evaluations as operators may be kept, 120, and what was
// spent; for the plot more in between.
std::vector<double> BudgetsOf(std::size_t nodes, double most) {
  const auto n = static_cast<double>(nodes);
  std::vector<double> budgets = {std::ceil(n / 2), n, 2 * n, 120};
  for (double budget = 8; budget < most; budget *= 1.5) {
    budgets.push_back(std::round(budget));
  }
  budgets.push_back(most);
  std::ranges::sort(budgets);
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

double CompareStrategies(const std::string& path, int threads, const Arguments& arguments,
                         nlohmann::json& results) {
  const Graph graph = GraphOf(path, arguments);
  const TargetSpec target = LoadTarget("host");
  const std::string inputs =
      arguments.inputs.empty() ? "" : fmt::format("{}/{}", path, arguments.inputs);
  const Dataset data =
      LoadDataset(graph, {.inputs = inputs, .labels = {}, .max_samples = arguments.max_samples});
  TuneProblem problem{graph, target, MakeSearchSpace(graph, target, {.modes = arguments.modes})};
  if (arguments.one_implementation) {
    KeepMostExact(problem.space.impl_mode_sets);
  }
  SharedConstants shared;
  const CompileOptions compile{.shared = &shared};
  NetworkMeasurer network(graph, data,
                          {.threads = threads,
                           .quick_budget_s = arguments.budget_s,
                           .confirm_budget_s = arguments.confirm_budget_s,
                           .seed = arguments.seed,
                           .compile = compile});
  SharedMeasurer measurer(network);
  NetworkProber prober(graph, data,
                       {.threads = threads, .seed = arguments.seed, .compile = compile});
  std::vector<Course> courses;
  double most = 0;
  for (const std::string& name : arguments.strategies) {
    const StrategyOptions options{
        .seed = arguments.seed,
        .network = StrategyNetwork{&problem.graph, &problem.target, &prober},
        .goes_on = arguments.seconds > 0};
    // The exhaustive strategy, the reference of the comparison, measures everything.
    CourseLimits limits{.max_trials = arguments.max_trials};
    if (name == kExhaustive || arguments.seconds > 0) {
      limits.max_trials = std::numeric_limits<std::size_t>::max();
    }
    if (name != kExhaustive && arguments.seconds > 0) {
      limits.seconds = arguments.seconds;
    }
    courses.push_back(RunCourse(name, problem, options, measurer, limits));
    if (name != kExhaustive) {
      most = std::max(most, courses.back().spent);
    }
    if (!courses.back().insight.groups.empty()) {
      PrintInsight(courses.back().insight, arguments.predictions);
    }
  }
  const std::size_t nodes = problem.space.keepable_nodes.size();
  std::vector<double> budgets = BudgetsOf(nodes, most);
  const std::vector<double> times =
      arguments.seconds > 0 ? TimesOf(arguments.seconds) : std::vector<double>();
  nlohmann::json row = {{"network", path}, {"operators", nodes}, {"budgets", budgets}};
  std::map<std::string, std::vector<double>> qualities;
  std::map<std::string, std::vector<double>> in_time;
  for (const Course& course : courses) {
    std::vector<double>& quality = qualities[course.strategy];
    if (course.strategy == kExhaustive) {
      quality.push_back(
          QualityAfter(course, &Course::evaluations, course.spent, problem, measurer));
      continue;
    }
    for (const double budget : budgets) {
      quality.push_back(QualityAfter(course, &Course::evaluations, budget, problem, measurer));
    }
    for (const double time : times) {
      in_time[course.strategy].push_back(
          QualityAfter(course, &Course::seconds, time, problem, measurer));
    }
  }
  for (const Course& course : courses) {
    if (arguments.fronts) {
      PrintFront(course.strategy,
                 FrontAfter(course, &Course::evaluations, course.spent, problem, measurer));
    }
  }
  const double best = FrontQuality(measurer.JudgedUnion());
  row["area"] = best;
  fmt::print("{}: {} operators, area of all fronts {:.4f}\n  {:<12}", path, nodes, best,
             "evaluations");
  for (const double budget : budgets) {
    fmt::print(" {:>6.0f}", budget);
  }
  for (const Course& course : courses) {
    fmt::print("\n  {:<12}", course.strategy);
    nlohmann::json& shares = row["strategies"][course.strategy];
    shares["spent"] = course.spent;
    for (const double quality : qualities[course.strategy]) {
      shares["shares"].push_back(quality / best);
      fmt::print(" {:>6.3f}", quality / best);
    }
    for (const double quality : in_time[course.strategy]) {
      shares["shares_in_time"].push_back(quality / best);
    }
    shares["seconds"] = course.spent_s;
    if (!course.insight.predictions.empty()) {
      const PredictionErrors off = PredictionErrorsOf(course.insight);
      shares["groups"] = course.insight.groups.size();
      shares["probes"] = course.insight.sensitivity.evaluations;
      shares["off_db"] = off.decibels;
      shares["off_latency"] = off.latency;
    }
  }
  fmt::print("\n");
  if (!times.empty()) {
    row["times"] = times;
    fmt::print("  {:<12}", "seconds");
    for (const double time : times) {
      fmt::print(" {:>6.3g}", time);
    }
    for (const Course& course : courses) {
      if (course.strategy == kExhaustive) {
        continue;
      }
      fmt::print("\n  {:<12}", course.strategy);
      for (const double quality : in_time[course.strategy]) {
        fmt::print(" {:>6.3f}", quality / best);
      }
      fmt::print("  {} plans", course.trials.size());
    }
    fmt::print("\n");
  }
  results.push_back(std::move(row));
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
  app.add_flag("--one_implementation", arguments.one_implementation,
               "Search dtypes alone, with the most exact implementations");
  app.add_flag("--fronts", arguments.fronts, "The last front of each strategy");
  app.add_flag("--predictions", arguments.predictions, "Each prediction beside its measurement");
  app.add_option("--max_trials", arguments.max_trials)->capture_default_str();
  app.add_option("--seconds", arguments.seconds,
                 "Seconds of each strategy, in place of --max_trials; strategies that can go on do")
      ->capture_default_str();
  app.add_option("--max_samples", arguments.max_samples)->capture_default_str();
  app.add_option("--budget", arguments.budget_s, "Seconds in which each plan is timed")
      ->capture_default_str();
  app.add_option("--seed", arguments.seed)->capture_default_str();
  app.add_option("--confirm_budget", arguments.confirm_budget_s,
                 "Seconds in which each plan of a front is timed again to be judged")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "File for the shares of all budgets");
  return RunNetworkBench(app, argc, argv, [&] {
    nlohmann::json results = nlohmann::json::array();
    const int code = ForEachNetwork(arguments, [&](const std::string& path, int threads) {
      return CompareStrategies(path, threads, arguments, results);
    });
    if (!arguments.json.empty()) {
      WriteFileAtomically(arguments.json, results.dump(1) + "\n");
    }
    return code;
  });
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
