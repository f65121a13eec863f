// Finds alternatives to the operators that a plan keeps in float32, by prediction.
#pragma once

#include <vector>

#include "search/model/plan_predictor.h"
#include "search/space/decisions.h"
#include "search/strategies/search_insight.h"

namespace halftone {

// For each of the operators that `assignment` keeps: the fastest plan without it that is
// predicted to lose no more and to be no slower than `measured`, 2 % left out. None twice, the
// fastest first, at most 3; only the first 8 kept operators are looked at, for each takes a
// solution of the model.
std::vector<AlternativeSet> AlternativeSets(const PlanPredictor& predictor,
                                            const Decisions& decisions,
                                            const Assignment& assignment,
                                            const Objectives& measured);

}  // namespace halftone
