// Times of the operators of plans on a runtime outside halftone.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "search/measure/runtime.h"
#include "search/measure/step_times.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Times of the steps as TimeSteps() has them; the first plan is the reference of the shares. A plan
// that the runtime refuses counts as the reference. Empty: the runtime does not say how long its
// operators take, or it was stopped.
std::vector<StepTimes> TimeStepsOnRuntime(Runtime& runtime, std::span<const PrecisionPlan> plans,
                                          const std::function<bool()>& stop_requested);

}  // namespace halftone
