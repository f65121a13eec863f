// Precision plan: the engine, number formats and implementation mode of every node. It is the
// result of resolving precision options.
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
  // Parallel to Node::inputs. For an absent input the entry repeats that of input 0 and is unused.
  std::vector<NumericFormat> inputs;
  std::vector<NumericFormat> outputs;  // parallel to Node::outputs
  ImplMode impl_mode = ImplMode::kDefault;
  std::string reason;  // clause that states the rule that decided

  // The format to show in reports: that of the first tunable input, else of the first tunable
  // output, else of the first output.
  [[nodiscard]] NumericFormat compute_format() const;

  // True if the node reads an operand in a dynamic format.
  [[nodiscard]] bool reads_dynamic() const {
    return std::ranges::any_of(inputs, &NumericFormat::is_dynamic);
  }

  [[nodiscard]] DType compute_dtype() const { return compute_format().dtype(); }

  // Ignores `reason`, because two option sets with the same effect are the same trial.
  friend bool operator==(const NodePrecision& a, const NodePrecision& b) {
    return a.engine == b.engine && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.impl_mode == b.impl_mode;
  }
};

struct PrecisionPlan {
  std::vector<NodePrecision> nodes;  // parallel to Graph::nodes
  // Dtypes of the inputs and outputs of the network, parallel to Graph::inputs and Graph::outputs.
  // Empty: --input_fp16_nodes or --output_type is not given, and dtypes are the original ones.
  std::vector<DType> graph_inputs;
  std::vector<DType> graph_outputs;
  // --is_weight_clip. True: a finite weight beyond the float16 range becomes the largest finite
  // value; false: it becomes infinity.
  bool clip_weights = true;
  // Arithmetic of the target for float16 results that overflow.
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;
  bool record_overflow = false;  // true: report overflow for each node (--status_check)
  SharedFusions fusions;         // fusions of the target; null: those of the host
  // Scales of the tensors; set if TakesScales() for some node
  // (src/precision/resolve/node_formats.h).
  SharedQuantization quantization;
  std::vector<std::string> warnings;  // full sentences

  [[nodiscard]] const NodePrecision& node(NodeId id) const {
    return nodes[static_cast<std::size_t>(id)];
  }

  // Stable hash of the members that operator== compares. Equal plans, and only those, have equal
  // digests.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const PrecisionPlan& a, const PrecisionPlan& b) {
    return a.nodes == b.nodes && a.graph_inputs == b.graph_inputs &&
           a.graph_outputs == b.graph_outputs && a.clip_weights == b.clip_weights &&
           a.overflow == b.overflow && SameFusions(a.fusions, b.fusions) &&
           a.quantization == b.quantization;
  }
};

// The plan with all nodes in float32 and the most exact implementations. It is the baseline of
// accuracy and latency.
PrecisionPlan ReferencePlan(const Graph& graph);

}  // namespace halftone
