// Checkpoints: the results of a float32 run that are alive across cuts of the node order. They are
// cached if not all results fit. A segment lies between two cuts. The other results that the groups
// of a segment need are recomputed from the checkpoints while these groups are probed
// (search/probe/activation_cache.h). So memory holds the checkpoints and one segment, as in
// training (Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016). The functions are
// pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Values that the probes of one group read: the operands of the group, and other operands of the
// nodes downstream. The latter may come from parallel branches, and from nodes after the group.
struct GroupNeeds {
  NodeId first = 0;             // the first node of the group
  std::vector<ValueId> values;  // without constants
};

// Bytes of a cached value. It is cached in float32 if modes can change its dtype.
std::int64_t KeptBytes(const Graph& graph, ValueId value);

struct CheckpointPlan {
  // Values that are cached for every sample all the time: inputs and outputs of the graph, and
  // checkpoints; ascending.
  std::vector<ValueId> kept;
  // Per segment: values that its groups need and that are not in `kept`; ascending.
  std::vector<std::vector<ValueId>> again;
  std::vector<std::size_t> segment_of;  // per group
  std::int64_t bytes = 0;               // per sample: `kept` and the largest of `again`
};

// Tries 1, 2, 3, 5, 8, ... segments, and returns the first plan whose `bytes` are within `limit`;
// if there is none, the tried plan with the fewest bytes. Groups must be in the order of their
// first nodes, so that each segment is recomputed once.
CheckpointPlan PlanCheckpoints(const Graph& graph, std::span<const GroupNeeds> needs,
                               std::int64_t limit);

}  // namespace halftone
