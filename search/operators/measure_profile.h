// Measures an operator's part of a machine profile with an OperatorTimer: every kernel of every
// call, in rounds. No kernel is dropped early, because the profile needs the times of all kernels,
// at low precision.
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
  int rounds = 3;  // rounds of each kernel; the time of a call is the median
  std::uint64_t seed = 1;
};

// Times the calls of `steps`. `steps` and `operators` are parallel, `operators` are those of the
// timer, and each step has a shape. Calls with times below the resolution of the clock are left
// out. Empty after a stop.
std::vector<ProfiledCall> MeasureProfile(std::span<const TunableStep> steps,
                                         std::span<const ContestedOperator> operators,
                                         OperatorTimer& timer, const ProfileRounds& options,
                                         const std::function<bool()>& stop_requested);

// Kernels of the step that are to be timed: all kernels if the profile lacks the call; none if it
// has all of them. Otherwise the first kernel of the step, the kernels that the profile lacks, and
// a kernel that it has, by which AddCalls() scales the times.
std::vector<std::string> KernelsToProfile(const TunableStep& step, const OperatorProfile& profile);

// Adds calls to the profile. If the profile already has a call with other kernels, the new times
// are scaled by a kernel that both have, because the speed of a core drifts between two
// measurements.
void AddCalls(std::vector<ProfiledCall> calls, OperatorProfile& profile);

}  // namespace halftone
