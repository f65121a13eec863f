// Finds alternatives to the operators that a plan keeps in float32, by prediction.
#pragma once

#include <vector>

#include "search/model/plan_predictor.h"
#include "search/space/decisions.h"
#include "search/strategies/search_insight.h"

namespace halftone {

// At most 3 distinct sets, fastest first by prediction. For each operator that `assignment` keeps
// in float32, this finds the fastest plan in which that operator is lowered and the predicted loss
// and latency exceed `measured` by at most 2 %. Only the first 8 such operators are tried, because
// each requires a solution of the model.
std::vector<AlternativeSet> AlternativeSets(const PlanPredictor& predictor,
                                            const Decisions& decisions,
                                            const Assignment& assignment,
                                            const Objectives& measured);

}  // namespace halftone
