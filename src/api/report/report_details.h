// Gathers report data beside the front (src/report/report_details.h), after the search.
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

// Anomalies of samples.
DataQuality DataQualityOf(const Graph& graph, const Dataset& data);

struct ReportSources {
  const Model& model;
  const TargetSpec& target;
  const Dataset& data;
  const TuneOptions& options;
  const CompileOptions& compile;
  const SearchInsight* insight = nullptr;  // null: the strategy probed nothing
  LatencySource& latency;
  std::function<bool()> stop_requested;  // true: skips runs of the point

  // Seconds that a compilation takes, and a run of float32 on all samples.
  struct Costs {
    double compile_s = 0;
    double pass_s = 0;
  } costs = {};

  // Parts that take longer than this are left out with a warning; null: there is time.
  std::function<double()> seconds_left = {};
};

// The front with the predictions of its points.
TunedFront WithPredictions(const SearchInsight& insight, TunedFront front);

struct GatheredDetails {
  std::optional<ReportDetails> details;  // empty: no reports are written
  std::vector<std::string> warnings;
};

// Details where options.output is given: two passes over the samples with the described point
// (null: none) and float32, and about a second of timed runs. Failures there are warnings; reports
// are written nevertheless.
GatheredDetails DetailsFor(const ReportSources& sources, const FrontPoint* described);

}  // namespace halftone
