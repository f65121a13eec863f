// Plans in 8 bits for every step that can compute on integers.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Puts a step (search/space/network_steps.h) in qint8 if it then runs as integer steps alone, and
// puts all others in float32. Its result is float32 if that is an output of the network and the
// step can make it. Movers and views behind the step follow it if their results have a scale.
PrecisionPlan Int8Plan(const Graph& graph, const SharedQuantization& quantization);

// Int8Plan() with float ends: a step whose result no int8 step reads outputs float32, or runs in
// float32 if it cannot. Such a plan is nearly as fast, and it leaves out the last rounding, whose
// error no later sum averages.
PrecisionPlan Int8PlanWithFloatEnds(const Graph& graph, const SharedQuantization& quantization);

}  // namespace halftone
