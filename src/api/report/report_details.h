// Report details (src/report/report_details.h): facts beside the front, gathered after the search.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/measure/latency_source.h"
#include "search/strategies/search_insight.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/report_details.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Ranges of the inputs, and numbers of constant and of repeated samples.
DataQuality DataQualityOf(const Graph& graph, const Dataset& data);

struct ReportSources {
  const Model& model;
  const TargetSpec& target;
  const Dataset& data;
  const TuneOptions& options;
  const CompileOptions& compile;
  const SearchInsight* insight = nullptr;  // null: the strategy probed nothing
  LatencySource& latency;
  std::function<bool()> stop_requested;  // a true result skips the runs of the point

  // Seconds of work.
  struct Costs {
    double compile_s = 0;  // a compilation
    double pass_s = 0;     // float32 on all samples
  } costs = {};

  // Remaining seconds; parts that would take longer are left out, with a warning. Null: no limit.
  std::function<double()> seconds_left = {};
};

// Sets FrontPoint::predicted of the points for which the search made a prediction.
TunedFront WithPredictions(const SearchInsight& insight, TunedFront front);

struct GatheredDetails {
  std::optional<ReportDetails> details;  // empty: options.output is empty, no report is written
  std::vector<std::string> warnings;
};

// Gathers the details of a report. With a `described` point, runs DetailsOf() of it, which takes
// one pass over the samples each in the plan and in float32, and about a second of timed runs. Its
// failures are warnings.
GatheredDetails DetailsFor(const ReportSources& sources, const FrontPoint* described);

}  // namespace halftone
