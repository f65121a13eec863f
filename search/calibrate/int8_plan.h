// Plans in 8 bits for every step that can compute on integers.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Plan with a step (search/space/network_steps.h) in qint8 if it then runs as integer steps alone,
// and in float32 otherwise. A step that makes an output of the network has a float32 result if it
// can. Movers and views behind a step follow it if their results have a scale.
PrecisionPlan Int8Plan(const Graph& graph, const SharedQuantization& quantization);

// Int8Plan() with float ends: a step whose result no int8 step reads outputs float32, or runs in
// float32 if it cannot. Such a plan is nearly as fast, and it avoids the last rounding, whose error
// no later sum averages.
PrecisionPlan Int8PlanWithFloatEnds(const Graph& graph, const SharedQuantization& quantization);

}  // namespace halftone
