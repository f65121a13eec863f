#include "src/passes/fuse/fuse_attention.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/attention/attention.h"
#include "src/passes/fuse/attention_rows.h"
#include "src/passes/fuse/grouped_keys.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

struct Chain {
  std::vector<NodeId> nodes;   // what goes into the Attention but the last; the Softmax first
  NodeId transpose = kNoNode;  // makes k^T
  ValueId q = kNoValue;
  ValueId k = kNoValue;  // what the Transpose reads
  ValueId mask = kNoValue;
  ValueId keep = kNoValue;  // of bool, beside one that is added
  double scale = 1;
};

// Size of keys and values of a head above which unfused nodes are faster: each tile of queries
// reads all of them, so that they have to stay in a cache. 4096 x (512 + 512) floats, 16 MiB: 1.00
// of the unfused time with one thread and 1.21 with two; 1024 x (512 + 512), 4 MiB: 0.89 and 0.84
// (Zen 4, L2 of 1 MiB, 2 cores; docs/measurements/2026-11-21-zen4-fusions.md).
constexpr std::int64_t kMostHeadBytes = std::int64_t{8} << 20;

class AttentionFusion {
 public:
  AttentionFusion(Graph& graph, const Fusing& fusing)
      : graph_(graph),
        fusing_(fusing),
        producers_(ProducersOf(graph)),
        readers_(SingleUseReadersOf(graph)) {}

  // Makes the MatMul `last` an Attention where it ends such a match.
  void FuseAt(NodeId last) {
    if (auto chain = ChainBefore(last)) {
      std::vector<NodeId> nodes = chain->nodes;
      nodes.insert(nodes.end(), {chain->transpose, last});
      if (fusing_.MayFuse(graph_, nodes)) {
        Replace(*chain, last);
      }
    }
  }

 private:
  [[nodiscard]] Node& At(NodeId id) { return graph_.nodes[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return graph_.value(id).type; }

  // The node of this operator that makes the value for `reader` alone; kNoNode when it is none.
  [[nodiscard]] NodeId MakerFor(NodeId reader, ValueId value, OpKind op) const {
    const NodeId maker = producers_[static_cast<std::size_t>(value)];
    return maker != kNoNode && graph_.node(maker).op == op &&
                   readers_[static_cast<std::size_t>(value)] == reader
               ? maker
               : kNoNode;
  }

  // A product of two operands whose leading axes are those of the result.
  [[nodiscard]] bool IsProductOfHeads(const Node& node) const {
    if (node.op != OpKind::kMatMul || node.inputs.size() != 2 || node.fusion.activation ||
        !node.fusion.b_perm.empty()) {
      return false;
    }
    const Shape& a = TypeOf(node.inputs[0]).shape;
    const Shape& b = TypeOf(node.inputs[1]).shape;
    const bool axes = (a.rank() == 3 || a.rank() == 4) && b.rank() == a.rank() && a[0] == b[0] &&
                      (a.rank() == 3 || a[1] == b[1]);
    return axes && a.ElementCount() != 0 && b.ElementCount() != 0 &&
           IsTunable(TypeOf(node.outputs[0]).dtype);
  }

  // True if keys and values of a head fit kMostHeadBytes in float32, which the kernels compute in.
  [[nodiscard]] bool IsFaster(const Node& scores, const Node& values) const {
    const Shape& k = TypeOf(scores.inputs[1]).shape;
    const Shape& v = TypeOf(values.inputs[1]).shape;
    const int last = k.rank() - 1;
    return k[last] * (k[last - 1] + v[last]) * 4 <= kMostHeadBytes;
  }

  // Takes constant factors off `value`, which `reader` alone reads.
  ValueId TakeScales(NodeId reader, ValueId value, Chain& chain) const {
    for (;;) {
      const NodeId product = MakerFor(reader, value, OpKind::kMul);
      const NodeId node = product != kNoNode ? product : MakerFor(reader, value, OpKind::kDiv);
      if (node == kNoNode) {
        return value;
      }
      const std::vector<ValueId>& inputs = graph_.node(node).inputs;
      const bool swapped = product != kNoNode && IsNumber(inputs[0]);
      const ValueId other = inputs[swapped ? 1 : 0];
      if (!IsNumber(inputs[swapped ? 0 : 1]) || TypeOf(other) != TypeOf(value)) {
        return value;
      }
      const Tensor& constant = *graph_.value(inputs[swapped ? 0 : 1]).constant;
      const double number = DoubleAt(constant.dtype(), constant.data(), 0);
      chain.scale *= product != kNoNode ? number : 1 / number;
      chain.nodes.push_back(node);
      value = other;
      reader = node;
    }
  }

  [[nodiscard]] bool IsNumber(ValueId id) const {
    const auto& constant = graph_.value(id).constant;
    return constant && constant->ElementCount() == 1;
  }

  // Takes scale and masks of the Softmax; false: it is not along the last axis, or has a mask that
  // Attention does not take.
  bool TakeSoftmax(const Node& softmax, Chain& chain) const {
    const Shape& shape = TypeOf(softmax.outputs[0]).shape;
    const auto operand = [&](std::size_t i) {
      return i < softmax.inputs.size() ? softmax.inputs[i] : kNoValue;
    };
    if (softmax.attributes.Int("coerce_2d", 0) != 0 ||
        NormalizeAxis(softmax.attributes.Int("axis", -1), shape.rank()) != shape.rank() - 1) {
      return false;
    }
    chain.mask = operand(1) != kNoValue ? operand(1) : operand(2);
    chain.keep = operand(1) != kNoValue ? operand(2) : kNoValue;
    chain.scale *= softmax.fusion.softmax ? static_cast<double>(softmax.fusion.softmax->scale) : 1;
    // Three axes are images with one head each: a mask of its own for each image needs four.
    const auto fits = [&](ValueId mask) {
      return mask == kNoValue || shape.rank() == 4 || TypeOf(mask).shape.rank() < 3 ||
             TypeOf(mask).shape[0] == 1;
    };
    return fits(chain.mask) && fits(chain.keep);
  }

  [[nodiscard]] std::optional<Chain> ChainBefore(NodeId last) const {
    const Node& values = graph_.node(last);
    if (!IsProductOfHeads(values)) {
      return std::nullopt;
    }
    Chain chain;
    const NodeId softmax = MakerFor(last, values.inputs[0], OpKind::kSoftmax);
    if (softmax == kNoNode || !TakeSoftmax(graph_.node(softmax), chain)) {
      return std::nullopt;
    }
    const NodeId scores = MakerFor(softmax, graph_.node(softmax).inputs[0], OpKind::kMatMul);
    if (scores == kNoNode || !IsProductOfHeads(graph_.node(scores)) ||
        !IsFaster(graph_.node(scores), values)) {
      return std::nullopt;
    }
    const std::vector<ValueId>& operands = graph_.node(scores).inputs;
    chain.nodes = {softmax, scores};
    chain.q = TakeScales(scores, operands[0], chain);
    const std::size_t own = chain.nodes.size();
    const ValueId k_transposed = TakeScales(scores, operands[1], chain);
    const NodeId reader = chain.nodes.size() == own ? scores : chain.nodes.back();
    chain.transpose = MakerFor(reader, k_transposed, OpKind::kTranspose);
    if (chain.transpose == kNoNode) {
      return std::nullopt;
    }
    chain.k = TakeScales(chain.transpose, graph_.node(chain.transpose).inputs[0], chain);
    return std::isfinite(static_cast<float>(chain.scale)) ? std::optional(std::move(chain))
                                                          : std::nullopt;
  }

  // k from what the Transpose reads: with the last two axes as they were, which may leave it
  // nothing to do.
  ValueId UntransposedKeys(Chain& chain) {
    Node& transpose = At(chain.transpose);
    transpose.inputs[0] = chain.k;
    std::vector<std::int64_t> perm = PermutationOf(graph_, transpose);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    if (std::is_sorted(perm.begin(), perm.end())) {
      chain.nodes.push_back(chain.transpose);
      return chain.k;
    }
    const Shape& shape = TypeOf(chain.k).shape;
    std::vector<std::int64_t> dims(perm.size());
    std::ranges::transform(perm, dims.begin(),
                           [&](std::int64_t axis) { return shape[static_cast<int>(axis)]; });
    transpose.attributes.Set("perm", std::move(perm));
    const ValueId turned = transpose.outputs[0];
    transpose.outputs[0] = graph_.AddValue({.name = graph_.value(turned).name + "/rows",
                                            .type = {TypeOf(turned).dtype, Shape(std::move(dims))},
                                            .constant = {},
                                            .stands_for = turned});
    return At(chain.transpose).outputs[0];
  }

  void Replace(Chain chain, NodeId last) {
    const ValueId k = UntransposedKeys(chain);
    Node fused = At(chain.nodes.front());
    const StepSoftmax softmax = fused.fusion.softmax.value_or(StepSoftmax());
    fused.attributes = {};
    fused.fusion = {};
    for (const NodeId n : chain.nodes) {
      if (n != chain.nodes.front()) {
        fusing_.Absorb(fused, At(n));
      }
    }
    At(chain.nodes.front()).outputs.clear();
    fusing_.Absorb(fused, At(last));
    fused.op = OpKind::kAttention;
    fused.inputs = {chain.q, k, At(last).inputs[1]};
    fused.attributes.Set("scale", static_cast<float>(chain.scale));
    StepAttention attention{.drop = softmax.drop, .mask_last = softmax.mask_last};
    attention.fill = softmax.fill.value_or(attention.fill);
    fused.fusion.attention = attention;
    if (chain.mask != kNoValue) {
      fused.inputs.push_back(chain.mask);
    }
    if (chain.keep != kNoValue) {
      fused.inputs.resize(kKeep, kNoValue);
      fused.inputs.push_back(chain.keep);
    }
    if (TypeOf(chain.q).shape.rank() == 3) {
      fused.attributes.Set("q_num_heads", std::int64_t{1});
      fused.attributes.Set("kv_num_heads", std::int64_t{1});
    }
    At(last) = std::move(fused);
  }

  Graph& graph_;
  const Fusing& fusing_;
  std::vector<NodeId> producers_;
  std::vector<NodeId> readers_;
};

}  // namespace

void FuseAttention(Graph& graph, const Fusing& fusing) {
  AttentionFusion fusion(graph, fusing);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    if (!graph.node(n).outputs.empty()) {
      fusion.FuseAt(n);
    }
  }
  RemoveEmptiedNodes(graph);
  ShareGroupedKeys(graph, fusing);
  AttendToRows(graph, fusing);
}

}  // namespace halftone
