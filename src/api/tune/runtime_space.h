// Search on the runtime of --measure: the part of the space that it runs, and warnings about
// points.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/measure/latency_source.h"
#include "search/space/space.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Source of latencies with the notes of opening it, full sentences.
struct OpenedLatency {
  std::shared_ptr<LatencySource> source;
  std::vector<std::string> notes;
};

// The runtime that the options name. Requires one. Error kUnsupported also for several input
// shapes.
OpenedLatency OpenRuntime(const NetworkAtShapes& network, const TuneOptions& options,
                          const Dataset& samples, const std::function<bool()>& stop_requested);

// Points that did not run as their plans say, or whose accuracy is not that of the runtime's
// outputs: full sentences.
std::vector<std::string> WarningsOfRuntime(const TunedFront& front);

// A space without the formats that a runtime refuses or runs in float32, with a warning for each.
struct RunnableSpace {
  SearchSpace space;
  std::vector<std::string> warnings;
};

// Requires a source that runs plans.
RunnableSpace WithoutRefusedFormats(SearchSpace space, const NetworkAtShapes& network,
                                    LatencySource& runtime);

}  // namespace halftone
