// Which results of a float32 run are kept where not all of them fit: those that are alive across
// cuts of the order of nodes, the checkpoints. What lies between two cuts is a segment; what its
// groups need of other results is made again out of the checkpoints while they are probed
// (search/probe/activation_cache.h), so that memory goes with the checkpoints and one segment, as
// in training (Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016). Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// What the probes of one group look at: operands of the group, and what the nodes behind it read
// besides. Those may be results of parallel branches, of nodes after the group too.
struct GroupNeeds {
  NodeId first = 0;             // the first node of the group
  std::vector<ValueId> values;  // no constants
};

// Bytes of a value as it is kept: float32 where modes can change its dtype.
std::int64_t KeptBytes(const Graph& graph, ValueId value);

struct CheckpointPlan {
  // Kept of every sample all the time: inputs and outputs of the graph, and checkpoints; ascending.
  std::vector<ValueId> kept;
  // By segment: what its groups need that is not in `kept`; ascending.
  std::vector<std::vector<ValueId>> again;
  std::vector<std::size_t> segment_of;  // by group
  std::int64_t bytes = 0;               // of a sample: `kept` and the largest of `again`
};

// The plan with the fewest segments whose `bytes` are within `limit`; if there is none, one with
// the fewest bytes. Groups must be in the order of their first nodes for each segment to be made
// again once.
CheckpointPlan PlanCheckpoints(const Graph& graph, std::span<const GroupNeeds> needs,
                               std::int64_t limit);

}  // namespace halftone
