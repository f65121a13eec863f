// Loss metric of a search: --metric, --metric_better, --metric_timeout.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halftone/metric.h"
#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"

namespace halftone {

struct LossMetric {
  std::string name = "rel_l2";  // MetricValue::name
  Better better = Better::kLower;
  std::vector<std::string> command;  // words of the user's program; empty: built in
  double timeout_s = 600;
  std::string output = {};                                   // output that it judges; empty: all
  std::shared_ptr<const MetricFunction> function = nullptr;  // null: another metric
  std::function<bool()> stop_requested = {};                 // asked while the program runs

  // True if Accuracy::loss stays empty: the default metric.
  [[nodiscard]] bool is_default() const { return name == "rel_l2"; }

  // IsOwnMetric(): such a metric is bounded by min_metric and max_metric.
  [[nodiscard]] bool is_own() const { return IsOwnMetric(name); }
};

// Parses the options. Error kUsage naming the option, what is wrong with it and what is right.
LossMetric ChooseMetric(const MetricArguments& arguments);

// The arguments with the network's default filled in: agreement where no output is floating. Error
// kUsage as ChooseMetric(), and where the network has no outputs that the metric compares, or no
// output of the name.
MetricArguments MetricArgumentsFor(const Graph& graph, MetricArguments arguments);

// The metric on the output LossMetric::output; empty: it judges all. Requires an output of the
// graph.
std::optional<OutputMetric> OutputMetricOf(const Graph& graph, const LossMetric& metric);

// Loss that a search minimises: the mean of the metric, negated where more is better. Empty where
// `accuracy` does not have the metric.
std::optional<double> LossIn(const Accuracy& accuracy, const LossMetric& metric);

// Reason why a built-in metric is undefined for a data set, and what to do.
std::string WhyUndefined(const LossMetric& metric, bool has_labels);

}  // namespace halftone
