// Machine profile with a knowledge base: stored parts are used, new ones are measured and stored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "knowledge_base/store.h"
#include "search/operators/format_times.h"
#include "search/operators/machine_profile.h"
#include "search/operators/operator_profile.h"
#include "search/operators/operator_tuner.h"
#include "src/exec/tunable_steps.h"
#include "src/ir/op_kind.h"
#include "src/target/target_spec.h"

namespace halftone {

// Times of the steps' kernels that a test plants in place of running them; empty after a stop.
using PlantedCalls = std::function<std::vector<ProfiledCall>(std::span<const TunableStep> steps)>;

// Measures the parts of these operators that the store lacks, for the threads of `pool`, in float32
// and each mode of the target, and stores each as soon as it is measured. A part that a stop
// interrupts is stored with the modes measured so far, and the next call continues with the others.
// An operator without a grid (ProfileNetwork()), or without memory for its calls, has no part.
void MeasureProfiles(const std::set<OpKind>& ops, const TargetSpec& target, const ThreadPool& pool,
                     std::uint64_t seed, TrialStore& store, const OperatorTunerHooks& hooks,
                     const PlantedCalls& planted = {});

// The kernels of the profile kFormatTimes (search/operators/format_times.h).
KernelVersion KernelsOfFormatTimes();

// Speed of products in 8 bits against the fastest other format for the threads of `pool`: stored,
// or measured and stored (search/operators/format_times.h).
std::optional<ScaledSpeed> StoredScaledSpeed(const TargetSpec& target, const ThreadPool& pool,
                                             std::uint64_t seed, TrialStore& store);

// Speed of each number format by the same profile; empty: it is not stored.
std::vector<FormatTime> StoredFormatTimes(int threads, TrialStore& store);

// The stored parts of these operators.
MachineProfile StoredProfile(const std::set<OpKind>& ops, int threads, TrialStore& store);

}  // namespace halftone
