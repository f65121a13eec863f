// Tuning for a destination of QDQ files (src/target/destinations.h): requirements of such a target
// on options, network and scales. For other targets these functions do nothing.
#pragma once

#include <string>

#include "src/api/tune_callbacks.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"
#include "src/target/target_spec.h"

namespace halftone {

// Error kUsage: options that need more than the cost model of a runtime has.
void CheckDestination(const TargetSpec& target, const TuneOptions& options);

// Error kUsage: the network was read with fusions that a destination does not make.
void RequireFusionsOff(const Graph& graph, const TargetSpec& target);

// Scales of int8 around 0 for a runtime without zero points, so that the file computes as the plan;
// also for constants that operators other than products read. For other targets `quantization`
// itself.
SharedQuantization ForDestination(SharedQuantization quantization, const Graph& graph,
                                  const TargetSpec& target);

// RunFacts::cost_model of a target whose latencies are predicted.
std::string CostModelOf(const TargetSpec& target);

}  // namespace halftone
