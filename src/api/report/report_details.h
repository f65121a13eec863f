// Gathers report data beside the front (src/report/report_details.h), after the search.
#pragma once

#include <functional>
#include <optional>

#include "search/strategies/search_insight.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"
#include "src/report/report_details.h"

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
  std::function<bool()> stop_requested;    // true: skips runs of the chosen point
};

// Fills the predictions of the points, and where options.output is given summary.details: two
// passes over the samples with the chosen point and float32, and about a second of timed runs.
// Failures there are warnings; reports are written nevertheless.
void AddReportDetails(const ReportSources& sources, TuneSummary& summary);

}  // namespace halftone
