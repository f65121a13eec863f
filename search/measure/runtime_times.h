// Times of the operators of plans on a runtime outside halftone.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "search/measure/runtime.h"
#include "search/measure/step_times.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Times of the steps of each plan, as shares of a run of the first plan (StepTimes). A plan whose
// nodes the runtime does not time gets the times of the first plan. Empty if the runtime does not
// time the nodes of the first plan, or if `stop_requested` returned true.
std::vector<StepTimes> TimeStepsOnRuntime(Runtime& runtime, std::span<const PrecisionPlan> plans,
                                          const std::function<bool()>& stop_requested);

}  // namespace halftone
