// Measures an operator's part of a machine profile with an OperatorTimer: every kernel of every
// call, in rounds. No kernel is dropped early: the profile needs all times, at low precision.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/operators/operator_profile.h"
#include "search/operators/operator_tuner.h"
#include "src/exec/tunable_steps.h"

namespace halftone {

struct ProfileRounds {
  int rounds = 3;  // of each kernel; the time of a call is the median
  std::uint64_t seed = 1;
};

// `steps`: one for each of the timer's operators, in order, with a shape. Empty after a stop.
std::vector<ProfiledCall> MeasureProfile(std::span<const TunableStep> steps,
                                         std::span<const ContestedOperator> operators,
                                         OperatorTimer& timer, const ProfileRounds& options,
                                         const std::function<bool()>& stop_requested);

// Kernels of the step that the profile lacks, after the first kernel of the step; also one kernel
// that it has, so that AddCalls() can scale the times. Empty: the profile lacks none.
std::vector<std::string> KernelsToProfile(const TunableStep& step, const OperatorProfile& profile);

// Adds calls. If the profile has the call with other kernels, scales the new times by a kernel that
// both have, because the speed of a core drifts between two measurements.
void AddCalls(std::vector<ProfiledCall> calls, OperatorProfile& profile);

}  // namespace halftone
