// Search on the runtime of --measure: opens the runtime, limits the space to the formats that it
// runs, and warns about points.
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

// The runtime that the options name, which must name one. Errors as OpenRuntime()
// (src/api/runtime/open_runtime.h); kUnsupported for several input shapes.
OpenedLatency OpenRuntime(const NetworkAtShapes& network, const TuneOptions& options,
                          const Dataset& samples, const std::function<bool()>& stop_requested);

// Full sentences about points that did not run as their plans say, and about accuracy that was not
// judged on the outputs of the runtime.
std::vector<std::string> WarningsOfRuntime(const TunedFront& front);

// Part of a search space that a runtime runs.
struct RunnableSpace {
  SearchSpace space;
  std::vector<std::string> warnings;  // one sentence for each format that was removed
};

// Tries each format on the runtime, and removes from the space those that it refuses or runs in
// float32. Also removes the implementation modes and slow choices, which belong to halftone's
// kernels. Requires a source that runs plans.
RunnableSpace WithoutRefusedFormats(SearchSpace space, const NetworkAtShapes& network,
                                    LatencySource& runtime);

}  // namespace halftone
