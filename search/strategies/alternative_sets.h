// Finds alternatives to the operators that a plan keeps in float32, by prediction.
#pragma once

#include <vector>

#include "search/model/plan_predictor.h"
#include "search/space/decisions.h"
#include "search/strategies/search_insight.h"

namespace halftone {

// For each operator that `assignment` keeps in float32: the fastest plan without it whose predicted
// loss and latency are at most `measured`, within 2 %. Distinct, the fastest first, at most 3; only
// the first 8 kept operators are tried, because each takes a solution of the model.
std::vector<AlternativeSet> AlternativeSets(const PlanPredictor& predictor,
                                            const Decisions& decisions,
                                            const Assignment& assignment,
                                            const Objectives& measured);

}  // namespace halftone
