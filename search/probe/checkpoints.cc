#include "search/probe/checkpoints.h"

#include <algorithm>
#include <optional>
#include <set>

namespace halftone {
namespace {

// Lifetime of a value: positions of its producer and its last reader in the order of nodes.
struct Life {
  std::optional<std::size_t> made;  // empty: an input or a constant
  std::size_t last = 0;

  // True if it is alive between node cut - 1 and node cut.
  [[nodiscard]] bool Crosses(std::size_t cut) const { return made && *made < cut && cut <= last; }
};

std::vector<Life> LivesOf(const Graph& graph) {
  std::vector<Life> lives(graph.values.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId id : graph.nodes[n].inputs) {
      if (id != kNoValue) {
        lives[static_cast<std::size_t>(id)].last = n;
      }
    }
    for (const ValueId id : graph.nodes[n].outputs) {
      if (id != kNoValue) {
        lives[static_cast<std::size_t>(id)].made = n;
      }
    }
  }
  return lives;
}

// Sizes and lives of values along the order of nodes: the same for every number of segments.
struct Order {
  explicit Order(const Graph& whole) : graph(whole), lives(LivesOf(whole)) {
    made.resize(graph.nodes.size());
    alive.resize(graph.nodes.size() + 1);
    // Bytes that begin to be alive at a cut, and end after one.
    std::vector<std::int64_t> change(graph.nodes.size() + 2);
    for (std::size_t v = 0; v < lives.size(); ++v) {
      const Life& life = lives[v];
      if (life.made) {
        const std::int64_t bytes = KeptBytes(graph, static_cast<ValueId>(v));
        made[*life.made] += bytes;
        all += bytes;
        if (life.last > *life.made) {
          change[*life.made + 1] += bytes;
          change[life.last + 1] -= bytes;
        }
      }
    }
    std::int64_t now = 0;
    for (std::size_t cut = 0; cut < alive.size(); ++cut) {
      now += change[cut];
      alive[cut] = now;
    }
  }

  const Graph& graph;
  std::vector<Life> lives;          // by value
  std::vector<std::int64_t> made;   // bytes of the results of a node
  std::vector<std::int64_t> alive;  // bytes across the cut before a node
  std::int64_t all = 0;             // bytes of all results
};

// Cuts behind about each `bytes` of results: of the second half of a segment, where the least is
// alive.
std::vector<std::size_t> CutsEvery(const Order& order, std::int64_t bytes) {
  std::vector<std::size_t> cuts;
  std::int64_t now = 0;
  std::size_t best = 0;  // 0: none
  for (std::size_t node = 0; node + 1 < order.made.size(); ++node) {
    now += order.made[node];
    const std::size_t cut = node + 1;
    if (2 * now >= bytes && (best == 0 || order.alive[cut] <= order.alive[best])) {
      best = cut;
    }
    if (now >= bytes) {
      cuts.push_back(best);
      now = 0;
      for (std::size_t after = best; after < cut; ++after) {
        now += order.made[after];
      }
      best = 0;
    }
  }
  return cuts;
}

CheckpointPlan PlanWith(const Order& order, std::span<const GroupNeeds> needs,
                        std::span<const std::size_t> cuts) {
  const Graph& graph = order.graph;
  std::set<ValueId> kept(graph.inputs.begin(), graph.inputs.end());
  for (const ValueId id : graph.outputs) {
    if (!graph.value(id).constant) {
      kept.insert(id);
    }
  }
  for (std::size_t v = 0; v < order.lives.size(); ++v) {
    // The first cut behind the node that makes it decides.
    const Life& life = order.lives[v];
    const auto cut = life.made ? std::ranges::upper_bound(cuts, *life.made) : cuts.end();
    if (cut != cuts.end() && life.Crosses(*cut)) {
      kept.insert(static_cast<ValueId>(v));
    }
  }
  CheckpointPlan plan{.kept = {kept.begin(), kept.end()}, .again = {}, .segment_of = {}};
  std::vector<std::set<ValueId>> again(cuts.size() + 1);
  for (const GroupNeeds& group : needs) {
    const auto segment = static_cast<std::size_t>(
        std::ranges::upper_bound(cuts, static_cast<std::size_t>(group.first)) - cuts.begin());
    plan.segment_of.push_back(segment);
    for (const ValueId id : group.values) {
      if (!kept.contains(id)) {
        again[segment].insert(id);
      }
    }
  }
  const auto bytes_of = [&](const auto& values) {
    std::int64_t bytes = 0;
    for (const ValueId id : values) {
      bytes += KeptBytes(graph, id);
    }
    return bytes;
  };
  std::int64_t largest = 0;
  for (const std::set<ValueId>& values : again) {
    plan.again.emplace_back(values.begin(), values.end());
    largest = std::max(largest, bytes_of(values));
  }
  plan.bytes = bytes_of(kept) + largest;
  return plan;
}

}  // namespace

std::int64_t KeptBytes(const Graph& graph, ValueId value) {
  const TensorType& type = graph.value(value).type;
  const DType dtype = IsTunable(type.dtype) ? DType::kFloat32 : type.dtype;
  return TensorType{dtype, type.shape}.size_bytes();
}

CheckpointPlan PlanCheckpoints(const Graph& graph, std::span<const GroupNeeds> needs,
                               std::int64_t limit) {
  const Order order(graph);
  CheckpointPlan best = PlanWith(order, needs, {});
  // Half as many segments more each time; more than nodes there cannot be.
  for (std::size_t segments = 2; best.bytes > limit && segments <= 2 * graph.nodes.size();
       segments += (segments + 1) / 2) {
    const auto cuts = CutsEvery(order, order.all / static_cast<std::int64_t>(segments) + 1);
    CheckpointPlan plan = PlanWith(order, needs, cuts);
    if (plan.bytes < best.bytes) {
      best = std::move(plan);
    }
  }
  return best;
}

}  // namespace halftone
