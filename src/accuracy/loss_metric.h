// Which metric is the loss of a search: --metric, --metric_better, --metric_timeout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"

namespace halftone {

struct MetricArguments {
  // A name of AllMetrics(), or "command:PROGRAM ARGUMENTS"; empty: rel_l2, and agreement for a
  // network without floating outputs.
  std::string metric;
  std::string better;      // of a command: "higher" or "lower"
  double timeout_s = 600;  // of one run of a command

  friend bool operator==(const MetricArguments&, const MetricArguments&) = default;
};

struct LossMetric {
  std::string name = "rel_l2";  // of the MetricValue
  Better better = Better::kLower;
  std::vector<std::string> command;  // the words of the user's own program; empty: built in
  double timeout_s = 600;

  // Whether loss stays empty in Accuracy: what is built in needs no word more.
  [[nodiscard]] bool is_default() const { return name == "rel_l2"; }
};

// Error kUsage naming the option, what is wrong with it and what is right.
LossMetric ChooseMetric(const MetricArguments& arguments);

// The arguments with the default of a network in them: agreement where no output is floating. Error
// kUsage as above, and where the network has no outputs that the metric compares.
MetricArguments MetricArgumentsFor(const Graph& graph, MetricArguments arguments);

// What a search minimises: the mean of the metric, with the sign changed where more is better.
// Empty where `accuracy` does not have the metric.
std::optional<double> LossIn(const Accuracy& accuracy, const LossMetric& metric);

// Why a built-in metric is not there for a data set, and what to do.
std::string WhyUndefined(const LossMetric& metric, bool has_labels);

}  // namespace halftone
