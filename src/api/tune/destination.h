// Requirements of a destination of QDQ files (src/target/destinations.h) on options, network and
// scales. The checks accept everything for other targets.
#pragma once

#include <string>

#include "src/api/tune_callbacks.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"
#include "src/target/target_spec.h"

namespace halftone {

// Error kUsage for --measure, and for modes with 16 bits: a destination has a cost model of 8 bits
// and float32 alone.
void CheckDestination(const TargetSpec& target, const TuneOptions& options);

// Error kUsage if the network was read with fusions that the destination does not make.
void RequireFusionsOff(const Graph& graph, const TargetSpec& target);

// For a destination without zero points, makes the scales of activations symmetric around 0, and
// adds such scales for the constants that operators other than products read, so that the QDQ file
// computes what the plan does. Returns `quantization` unchanged for other targets.
SharedQuantization ForDestination(SharedQuantization quantization, const Graph& graph,
                                  const TargetSpec& target);

// RunFacts::cost_model of a target whose latencies are predicted: a runtime or a target.
std::string CostModelOf(const TargetSpec& target);

}  // namespace halftone
