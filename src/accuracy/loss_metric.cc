#include "src/accuracy/loss_metric.h"

#include <fmt/format.h>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/value_names.h"
#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"

namespace halftone {
namespace {

std::string Names() {
  std::vector<std::string> names;
  for (const MetricRow& row : AllMetrics()) {
    names.emplace_back(row.name);
  }
  return Join(names, ", ");
}

[[noreturn]] void Refuse(const std::string& text) {
  throw Error(ErrorKind::kUsage, text);
}

Better BetterOf(const MetricArguments& arguments) {
  if (arguments.better.empty()) {
    Refuse(fmt::format(
        "--metric={}: add --metric_better=higher or --metric_better=lower, the direction of your "
        "metric",
        Shown(arguments.metric)));
  }
  if (arguments.better != "higher" && arguments.better != "lower") {
    Refuse(fmt::format("--metric_better={}: expected higher or lower", Shown(arguments.better)));
  }
  return arguments.better == "higher" ? Better::kHigher : Better::kLower;
}

LossMetric Function(const MetricArguments& arguments) {
  if (!arguments.metric.starts_with(kFunctionMetric) ||
      arguments.metric.size() == kFunctionMetric.size()) {
    Refuse(
        fmt::format("--metric={}: a function is named {}NAME, and a knowledge base stores its "
                    "values under that name",
                    Shown(arguments.metric), kFunctionMetric));
  }
  return {.name = arguments.metric,
          .better = BetterOf(arguments),
          .command = {},
          .timeout_s = arguments.timeout_s,
          .output = {},
          .function = arguments.function};
}

LossMetric Command(const MetricArguments& arguments) {
  LossMetric metric{.name = arguments.metric,
                    .better = BetterOf(arguments),
                    .command = {},
                    .timeout_s = arguments.timeout_s};
  for (const std::string_view word :
       Split(std::string_view(arguments.metric).substr(kCommandMetric.size()), ' ')) {
    if (!word.empty()) {
      metric.command.emplace_back(word);
    }
  }
  if (metric.command.empty()) {
    Refuse(
        "--metric=command: expected a program behind the colon, as in --metric=command:./score.py");
  }
  return metric;
}

}  // namespace

LossMetric ChooseMetric(const MetricArguments& arguments) {
  RequireNumber("--metric_timeout", arguments.timeout_s, limits::kProgramSecondsRange);
  if (arguments.function != nullptr) {
    return Function(arguments);
  }
  if (arguments.metric.starts_with(kCommandMetric)) {
    return Command(arguments);
  }
  const std::string name = arguments.metric.empty() ? "rel_l2" : arguments.metric;
  const MetricRow* row = RowOfValue(name);
  if (row == nullptr) {
    Refuse(
        fmt::format("--metric={}: expected one of {}, with OUTPUT: before it for one output, or "
                    "command:PROGRAM",
                    Shown(name), Names()));
  }
  if (!arguments.better.empty()) {
    Refuse(
        fmt::format("--metric_better={} belongs to --metric=command:PROGRAM; the direction of {} "
                    "is known: leave "
                    "it out",
                    Shown(arguments.better), name));
  }
  const std::size_t before = name.size() - row->name.size();
  return {.name = name,
          .better = row->better,
          .command = {},
          .timeout_s = arguments.timeout_s,
          .output = before > 0 ? name.substr(0, before - 1) : ""};
}

MetricArguments MetricArgumentsFor(const Graph& graph, MetricArguments arguments) {
  const bool discrete = AllOutputsDiscrete(graph);
  if (discrete && arguments.metric.empty()) {
    arguments.metric = "agreement";
  }
  const LossMetric metric = ChooseMetric(arguments);
  const MetricRow* row = RowOfValue(metric.name);
  if (const auto why = row != nullptr ? WhyNotOfOutputs(*row, graph) : std::nullopt) {
    Refuse(fmt::format("--metric={}; leave it out, or use --metric={}", *why,
                       discrete ? "agreement" : "rel_l2"));
  }
  if (metric.output.empty()) {
    return arguments;
  }
  const auto output = IndexOf(graph, graph.outputs, metric.output);
  if (!output) {
    Refuse(fmt::format("--metric={}: the network has no output '{}'; its outputs are {}",
                       Shown(metric.name), Shown(metric.output), NamesOf(graph, graph.outputs)));
  }
  const DType dtype = graph.value(graph.outputs[*output]).type.dtype;
  if (IsFloating(dtype) == row->of_discrete) {
    Refuse(fmt::format("--metric={}: {} compares {} outputs, and '{}' is {}; use --metric={}:{}",
                       Shown(metric.name), row->name,
                       row->of_discrete ? "integer and boolean" : "floating", Shown(metric.output),
                       NameOf(dtype), Shown(metric.output),
                       row->of_discrete ? "rel_l2" : "agreement"));
  }
  return arguments;
}

std::optional<OutputMetric> OutputMetricOf(const Graph& graph, const LossMetric& metric) {
  if (metric.output.empty()) {
    return std::nullopt;
  }
  const auto output = IndexOf(graph, graph.outputs, metric.output);
  Check(output.has_value(), "MetricArgumentsFor() found the output of --metric");
  return OutputMetric{.name = metric.name, .row = RowOfValue(metric.name), .output = *output};
}

std::optional<double> LossIn(const Accuracy& accuracy, const LossMetric& metric) {
  const MetricValue* value = accuracy.Find(metric.name);
  if (value == nullptr) {
    return std::nullopt;
  }
  return metric.better == Better::kHigher ? -value->mean : value->mean;
}

std::string WhyUndefined(const LossMetric& metric, bool has_labels) {
  if (metric.is_default()) {
    return "no relative error is defined: where this differs from float32, every floating output "
           "of float32 is zero";
  }
  const MetricRow* row = RowOfValue(metric.name);
  if (row != nullptr && row->needs_labels && has_labels && !metric.output.empty()) {
    return fmt::format(
        "--metric={}: the labels are of another output; give them as --labels={}:FILE", metric.name,
        metric.output);
  }
  return row != nullptr && row->needs_labels && !has_labels
             ? fmt::format(
                   "--metric={}: there are no labels; give --labels, or choose a metric that "
                   "compares with float32",
                   metric.name)
             : fmt::format(
                   "--metric={}: it is defined for no sample of this network (see "
                   "docs/internals/measuring.md); choose another metric",
                   metric.name);
}

}  // namespace halftone
