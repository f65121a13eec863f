// The outcome of resolving precision options on a graph: what every node will do, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/base/hash.h"
#include "src/ir/dtype.h"
#include "src/ir/graph.h"
#include "src/ir/impl_mode.h"

namespace halftone {

enum class Engine : std::uint8_t { kAiCore, kAiCpu };

inline constexpr EnumRow<Engine> kEngines[] = {
    {Engine::kAiCore, "AiCore", "the target's fast engine; on the host: the kernel table"},
    {Engine::kAiCpu, "AiCpu",
     "the fallback, always in the original dtypes; on the host: the references"},
};

constexpr std::string_view NameOf(Engine engine) {
  return NameIn(kEngines, engine);
}

struct NodePrecision {
  Engine engine = Engine::kAiCore;
  std::vector<DType> inputs;   // parallel to Node::inputs; an absent one repeats input 0, unused
  std::vector<DType> outputs;  // parallel to Node::outputs
  ImplMode impl_mode = ImplMode::kDefault;
  std::string reason;  // one clause: the rule that decided

  // The dtype that counts for reports: of the first tunable input, else output, else the first
  // output.
  [[nodiscard]] DType compute_dtype() const;

  // `reason` does not count: two option sets that do the same are the same trial.
  friend bool operator==(const NodePrecision& a, const NodePrecision& b) {
    return a.engine == b.engine && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.impl_mode == b.impl_mode;
  }
};

struct PrecisionPlan {
  std::vector<NodePrecision> nodes;   // parallel to Graph::nodes
  std::vector<std::string> warnings;  // full sentences

  [[nodiscard]] const NodePrecision& node(NodeId id) const {
    return nodes[static_cast<std::size_t>(id)];
  }

  // Stable hash of what will be executed; equal plans, and only those, have equal digests.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const PrecisionPlan& a, const PrecisionPlan& b) {
    return a.nodes == b.nodes;
  }
};

// Everything float32 with the most exact implementations: what accuracy and latency are compared
// with.
PrecisionPlan ReferencePlan(const Graph& graph);

}  // namespace halftone
