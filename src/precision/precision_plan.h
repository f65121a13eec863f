// Precision plan: what every node does, and why; the result of resolving precision options.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/base/hash.h"
#include "src/ir/dtype.h"
#include "src/ir/graph.h"
#include "src/ir/impl_mode.h"
#include "src/ir/numeric_format.h"
#include "src/quantization/quantization.h"
#include "src/target/target_spec.h"

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
  // Parallel to Node::inputs; an absent one repeats input 0, unused.
  std::vector<NumericFormat> inputs;
  std::vector<NumericFormat> outputs;  // parallel to Node::outputs
  ImplMode impl_mode = ImplMode::kDefault;
  std::string reason;  // one clause: the rule that decided

  // The format for reports: of the first tunable input, else of the first tunable output, else of
  // the first output.
  [[nodiscard]] NumericFormat compute_format() const;

  // True if it reads an operand in a dynamic format.
  [[nodiscard]] bool reads_dynamic() const {
    return std::ranges::any_of(inputs, &NumericFormat::is_dynamic);
  }

  [[nodiscard]] DType compute_dtype() const { return compute_format().dtype(); }

  // Ignores `reason`: two option sets that do the same are the same trial.
  friend bool operator==(const NodePrecision& a, const NodePrecision& b) {
    return a.engine == b.engine && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.impl_mode == b.impl_mode;
  }
};

struct PrecisionPlan {
  std::vector<NodePrecision> nodes;  // parallel to Graph::nodes
  // Parallel to Graph::inputs and Graph::outputs: dtypes at the interface. Empty: the original
  // dtypes (neither --input_fp16_nodes nor --output_type changes one).
  std::vector<DType> graph_inputs;
  std::vector<DType> graph_outputs;
  // A finite weight beyond the float16 range becomes the largest finite value (--is_weight_clip).
  bool clip_weights = true;
  // Overflow of float16 results, by target; `record_overflow` asks for the status per node
  // (--status_check).
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;
  bool record_overflow = false;
  SharedFusions fusions;  // of the target: what may run as one step; null: what the host fuses
  // Scales of the tensors in a scaled format; given if a node has such a format.
  SharedQuantization quantization;
  std::vector<std::string> warnings;  // full sentences

  [[nodiscard]] const NodePrecision& node(NodeId id) const {
    return nodes[static_cast<std::size_t>(id)];
  }

  // Stable hash of the executed content; equal plans, and only those, have equal digests.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const PrecisionPlan& a, const PrecisionPlan& b) {
    return a.nodes == b.nodes && a.graph_inputs == b.graph_inputs &&
           a.graph_outputs == b.graph_outputs && a.clip_weights == b.clip_weights &&
           a.overflow == b.overflow && SameFusions(a.fusions, b.fusions) &&
           a.quantization == b.quantization;
  }
};

// All nodes in float32 with the most exact implementations: the baseline of accuracy and latency.
PrecisionPlan ReferencePlan(const Graph& graph);

}  // namespace halftone
