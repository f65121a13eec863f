// Search quality: the front that each strategy has found after a number of evaluations, on real
// networks with real kernels. All strategies of one network share the measurements: a plan is
// measured once. Networks are files, or block-SEED for a generated block of a transformer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
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
  for (const int part : {16, 8, 4, 2, 1}) {
    times.push_back(most / part);
  }
  return times;
}

// Half, rounded up, once and twice as many evaluations as operators may be kept, 120, and what was
// spent; for the plot more in between.
std::vector<double> BudgetsOf(std::size_t nodes, double most) {
  const auto n = static_cast<double>(nodes);
  std::vector<double> budgets = {std::ceil(n / 2), n, 2 * n, 120};
  double budget = 8;
  while (budget < most) {
    budgets.push_back(std::round(budget));
    budget *= 1.5;
  }
  budgets.push_back(most);
  std::ranges::sort(budgets);
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

// The exhaustive strategy, the reference of the comparison, measures everything.
CourseLimits LimitsOf(const std::string& strategy, const Arguments& arguments) {
  const bool is_reference = strategy == kExhaustive;
  CourseLimits limits{.max_trials = arguments.max_trials};
  if (is_reference || arguments.seconds > 0) {
    limits.max_trials = std::numeric_limits<std::size_t>::max();
  }
  if (!is_reference && arguments.seconds > 0) {
    limits.seconds = arguments.seconds;
  }
  return limits;
}

std::vector<Course> RunCourses(const TuneProblem& problem, SharedMeasurer& measurer, Prober& prober,
                               const Arguments& arguments) {
  std::vector<Course> courses;
  courses.reserve(arguments.strategies.size());
  for (const std::string& name : arguments.strategies) {
    const StrategyOptions options{
        .seed = arguments.seed,
        .network = StrategyNetwork{&problem.graph, &problem.target, &prober},
        .goes_on = arguments.seconds > 0};
    courses.push_back(RunCourse(name, problem, options, measurer, LimitsOf(name, arguments)));
    if (!courses.back().insight.groups.empty()) {
      PrintInsight(courses.back().insight, arguments.predictions);
    }
  }
  return courses;
}

// Columns of the two tables.
struct Columns {
  std::vector<double> budgets;  // evaluations
  std::vector<double> times;    // seconds; empty: evaluations are counted alone
};

Columns ColumnsOf(std::size_t nodes, std::span<const Course> courses, double seconds) {
  double most = 0;
  for (const Course& course : courses) {
    if (course.strategy != kExhaustive) {
      most = std::max(most, course.spent);
    }
  }
  return {BudgetsOf(nodes, most), seconds > 0 ? TimesOf(seconds) : std::vector<double>()};
}

// Qualities of the front of one strategy.
struct CourseQualities {
  std::vector<double> after;    // by budget; of the exhaustive strategy: at its end
  std::vector<double> in_time;  // by time; of the exhaustive strategy: none
};

CourseQualities QualitiesOf(const Course& course, const Columns& columns,
                            const TuneProblem& problem, SharedMeasurer& measurer) {
  if (course.strategy == kExhaustive) {
    return {{QualityAfter(course, &Course::evaluations, course.spent, problem, measurer)}, {}};
  }
  CourseQualities qualities;
  for (const double budget : columns.budgets) {
    qualities.after.push_back(
        QualityAfter(course, &Course::evaluations, budget, problem, measurer));
  }
  for (const double time : columns.times) {
    qualities.in_time.push_back(QualityAfter(course, &Course::seconds, time, problem, measurer));
  }
  return qualities;
}

// As shares of the best front.
nlohmann::json JsonOf(const Course& course, const CourseQualities& qualities, double best) {
  nlohmann::json shares = {{"spent", course.spent}, {"seconds", course.spent_s}};
  for (const double quality : qualities.after) {
    shares["shares"].push_back(quality / best);
  }
  for (const double quality : qualities.in_time) {
    shares["shares_in_time"].push_back(quality / best);
  }
  if (!course.insight.predictions.empty()) {
    const PredictionErrors off = PredictionErrorsOf(course.insight);
    shares["groups"] = course.insight.groups.size();
    shares["probes"] = course.insight.sensitivity.evaluations;
    shares["off_db"] = off.decibels;
    shares["off_latency"] = off.latency;
  }
  return shares;
}

void PrintTables(const Columns& columns, std::span<const Course> courses,
                 std::span<const CourseQualities> qualities, double best) {
  fmt::print("  {:<12}", "evaluations");
  for (const double budget : columns.budgets) {
    fmt::print(" {:>6.0f}", budget);
  }
  for (std::size_t i = 0; i < courses.size(); ++i) {
    fmt::print("\n  {:<12}", courses[i].strategy);
    for (const double quality : qualities[i].after) {
      fmt::print(" {:>6.3f}", quality / best);
    }
  }
  fmt::print("\n");
  if (columns.times.empty()) {
    return;
  }
  fmt::print("  {:<12}", "seconds");
  for (const double time : columns.times) {
    fmt::print(" {:>6.3g}", time);
  }
  for (std::size_t i = 0; i < courses.size(); ++i) {
    if (courses[i].strategy == kExhaustive) {
      continue;
    }
    fmt::print("\n  {:<12}", courses[i].strategy);
    for (const double quality : qualities[i].in_time) {
      fmt::print(" {:>6.3f}", quality / best);
    }
    fmt::print("  {} plans", courses[i].trials.size());
  }
  fmt::print("\n");
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
  const std::vector<Course> courses = RunCourses(problem, measurer, prober, arguments);
  const std::size_t nodes = problem.space.keepable_nodes.size();
  const Columns columns = ColumnsOf(nodes, courses, arguments.seconds);
  std::vector<CourseQualities> qualities;
  qualities.reserve(courses.size());
  for (const Course& course : courses) {
    qualities.push_back(QualitiesOf(course, columns, problem, measurer));
    if (arguments.fronts) {
      PrintFront(course.strategy,
                 FrontAfter(course, &Course::evaluations, course.spent, problem, measurer));
    }
  }
  const double best = FrontQuality(measurer.JudgedUnion());
  fmt::print("{}: {} operators, area of all fronts {:.4f}\n", path, nodes, best);
  PrintTables(columns, courses, qualities, best);
  nlohmann::json row = {
      {"network", path}, {"operators", nodes}, {"budgets", columns.budgets}, {"area", best}};
  if (!columns.times.empty()) {
    row["times"] = columns.times;
  }
  for (std::size_t i = 0; i < courses.size(); ++i) {
    row["strategies"][courses[i].strategy] = JsonOf(courses[i], qualities[i], best);
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
