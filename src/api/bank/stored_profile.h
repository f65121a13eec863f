// Machine profile with a knowledge base: stored parts are used, new ones are measured and stored.
#pragma once

#include <set>

#include "kernels/parallel.h"
#include "knowledge_base/store.h"
#include "search/operators/machine_profile.h"
#include "search/operators/operator_tuner.h"
#include "src/ir/op_kind.h"
#include "src/target/target_spec.h"

namespace halftone {

// The parts of these operators for the threads of `pool`, in float32 and each mode of the target.
// An operator without a grid (ProfileNetwork()) has no part. After a stop the parts that are
// measured are there, and nothing is stored of others.
MachineProfile ProfileOf(const std::set<OpKind>& ops, const TargetSpec& target,
                         const ThreadPool& pool, std::uint64_t seed, TrialStore& store,
                         const OperatorTunerHooks& hooks);

// The stored parts alone.
MachineProfile StoredProfileOf(const std::set<OpKind>& ops, int threads, TrialStore& store);

}  // namespace halftone
