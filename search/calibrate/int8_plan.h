// The plan in 8 bits wherever integers can be computed with.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Every step (search/space/network_steps.h) in qint8 that then has integer steps alone, with
// float32 results where these are outputs of the network and the step can make them; movers and
// views behind it follow where their results have a scale. All others are in float32.
PrecisionPlan Int8Plan(const Graph& graph, const SharedQuantization& quantization);

// The same, but that chains of such steps end in one with a float32 result: steps whose results no
// step reads in 8 bits have float32 ones, and those that cannot are in float32, too. Nearly as
// fast, and the last rounding, which nothing averages, is left out.
PrecisionPlan Int8PlanWithFloatEnds(const Graph& graph, const SharedQuantization& quantization);

}  // namespace halftone
