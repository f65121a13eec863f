// Machine profile in a knowledge base: one part for each operator, measured once and stored.
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

// Function of a test that returns times of the steps' kernels in place of running them. An empty
// result means that the measurement was stopped.
using PlantedCalls = std::function<std::vector<ProfiledCall>(std::span<const TunableStep> steps)>;

// Settings of a profile, which is measured on the threads of `pool`, in float32 and in each mode
// of the target.
struct Profiling {
  const TargetSpec& target;
  const ThreadPool& pool;
  std::uint64_t seed;
  const OperatorTunerHooks& hooks;
  PlantedCalls planted = {};  // empty: kernels run
};

// Measures the parts of these operators that the store lacks, and stores each part as soon as it is
// measured. After a stop, the interrupted part is stored with the modes measured so far, and the
// next call measures the rest. Operators that have no grid of calls (ProfileNetwork()), or whose
// calls do not fit in memory, get no part.
void MeasureProfiles(const std::set<OpKind>& ops, const Profiling& with, TrialStore& store);

// Version of the kernels that the part kFormatTimes measures (search/operators/format_times.h).
KernelVersion KernelsOfFormatTimes();

// Comparison of the fastest 8-bit format with the fastest other format on the threads of `pool`,
// from the part kFormatTimes. Measures and stores that part if the store lacks it. Empty as
// ScaledSpeedIn().
std::optional<ScaledSpeed> StoredScaledSpeed(const TargetSpec& target, const ThreadPool& pool,
                                             std::uint64_t seed, TrialStore& store);

// Times of the number formats relative to float32, from the stored part kFormatTimes; empty: it is
// not stored.
std::vector<FormatTime> StoredFormatTimes(int threads, TrialStore& store);

// The stored parts of these operators.
MachineProfile StoredProfile(const std::set<OpKind>& ops, int threads, TrialStore& store);

}  // namespace halftone
