// Types that a precision plan has for the nodes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/export/exported_file.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

struct NodeType {
  bool planned = false;  // the network has the node
  // The 16-bit type of all that the node reads and makes. Empty: it computes in float32.
  std::optional<DType> type;
  // Type to which each operand and result is rounded. Empty for a tensor that is not float32 in the
  // network.
  std::vector<std::optional<DType>> inputs;
  std::vector<std::optional<DType>> outputs;
};

// True if a node has bodies, as If, Loop and Scan have.
bool HasBody(const onnx::NodeProto& node);

// Types of the nodes of a file. Counts the nodes given to Of() that compute in float32 although the
// plan has a 16-bit type for them. Refers to all arguments of the constructor.
class NodeTypes {
 public:
  // `plan` is of `network`, which was imported from `file`. `opset` is that of ai.onnx.
  NodeTypes(const onnx::GraphProto& file, const Graph& network, const PrecisionPlan& plan,
            std::int64_t opset);

  NodeType Of(const onnx::NodeProto& node);

  // Losses that Of() counted, and losses that need no call of it: nodes in bodies, nodes on 16-bit
  // tensors of the model, and formats of float32 tensors.
  [[nodiscard]] std::vector<Loss> Losses() const;

 private:
  // Nodes that compute in float32 for one reason, with their formats in the plan.
  using Cases = std::vector<std::pair<std::string, NumericFormat>>;

  void IndexNodes(const onnx::GraphProto& file);
  void NoteOwn(const Node& node, const NodePrecision& precision);
  void FindInside();
  // Nodes in bodies that the plan has in 16 bits. Of() is never called for them.
  [[nodiscard]] Cases InBodies() const;
  [[nodiscard]] std::optional<DType> FloatOf(ValueId value, NumericFormat format) const;
  std::optional<DType> OneTypeOf(const onnx::NodeProto& node, NodeId id, const NodeType& formats);

  const Graph& network_;
  const PrecisionPlan& plan_;
  std::int64_t opset_;
  std::map<std::string, NodeId> by_output_;  // nodes of the network, by their tensors in the file
  // Parts of operators that halftone computes as one with float32 inside, and the values between
  // them.
  std::set<NodeId> inside_nodes_;
  std::set<ValueId> inside_;
  std::map<std::pair<std::string, DType>, Cases> refused_;
  Cases mixed_;
  Cases whole_;
  Cases unrounded_;
  std::map<DType, Cases> own_;  // nodes on 16-bit tensors of the model, by the type of these
  std::set<std::string, std::less<>> asked_;  // outputs of the nodes given to Of()
};

}  // namespace halftone
