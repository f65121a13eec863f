// Loss metric of a search, chosen by --metric, --metric_better and --metric_timeout.
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
  std::vector<std::string> command;  // words of the user's program; empty: no program
  double timeout_s = 600;            // most seconds that the program may run
  std::string output = {};           // name of the only output that the metric reads; empty: all
  std::shared_ptr<const MetricFunction> function = nullptr;  // the caller's; null: no function
  std::function<bool()> stop_requested = {};  // asked while the program runs; true stops it

  // True for the default metric, with which Accuracy::loss stays empty.
  [[nodiscard]] bool is_default() const { return name == "rel_l2"; }

  // True if IsOwnMetric(). The constraints min_metric and max_metric bound such a metric.
  [[nodiscard]] bool is_own() const { return IsOwnMetric(name); }
};

// Parses the options. Error kUsage names the option, its fault and the values that are right.
LossMetric ChooseMetric(const MetricArguments& arguments);

// The arguments with an empty metric replaced by agreement if no output is floating. Errors as
// ChooseMetric(). Error kUsage also: the metric compares none of the outputs, or names an output
// that the network does not have.
MetricArguments MetricArgumentsFor(const Graph& graph, MetricArguments arguments);

// The metric restricted to LossMetric::output; empty: the metric reads all outputs. Requires that
// the graph has the output.
std::optional<OutputMetric> OutputMetricOf(const Graph& graph, const LossMetric& metric);

// Loss that a search minimises: the mean of the metric, negated if higher values are better. Empty:
// `accuracy` does not have the metric.
std::optional<double> LossIn(const Accuracy& accuracy, const LossMetric& metric);

// Reason why a built-in metric is undefined for a dataset, with advice.
std::string WhyUndefined(const LossMetric& metric, bool has_labels);

}  // namespace halftone
