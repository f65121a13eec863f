#include "src/passes/fuse/fuse_quantized.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/ir/transposed.h"
#include "src/passes/pattern/fusing.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

// Two roundings of a product of scales are 2^-23; exporters compute it from rounded ones.
constexpr double kSameScale = 0x1p-20;

// Data with its scale and zero point (kNoValue: 0).
struct Quantized {
  ValueId data = kNoValue;
  ValueId scale = kNoValue;
  ValueId zero = kNoValue;
  std::int64_t axis = 1;
};

class QuantizedFusion {
 public:
  explicit QuantizedFusion(Graph& graph)
      : graph_(graph), producers_(ProducersOf(graph)), readers_(SingleUseReadersOf(graph)) {}

  // Makes `main` the fused operator; false: it stays as it is.
  bool Fuse(Node& main) {
    const auto x = main.outputs.size() == 1 ? Dequantized(main.inputs[0]) : std::nullopt;
    const auto w = x ? Dequantized(main.inputs[1]) : std::nullopt;
    if (!w || !IsData(*x) || !IsWeights(main, *w)) {
      return false;
    }
    Node* relu = ReaderOf(main);
    Node* quantize = relu;
    if (relu != nullptr && relu->op == OpKind::kRelu) {
      quantize = ReaderOf(*relu);
    }
    if (quantize == nullptr || quantize->op != OpKind::kQuantizeLinear) {
      return false;
    }
    const auto y = QuantizedBy(*quantize);
    if (!y || (relu != quantize && !SaturatesAtZero(*quantize, *y))) {
      return false;
    }
    const ValueId bias = main.inputs.size() > 2 ? main.inputs[2] : kNoValue;
    const auto integers = bias == kNoValue ? std::optional(kNoValue) : BiasOf(bias, *x, *w);
    if (!integers || (main.op == OpKind::kGemm && *integers != kNoValue &&
                      graph_.value(*integers).type.shape.rank() != 1)) {
      return false;
    }
    Rewrite(main, *x, *w, *y, *integers);
    if (relu != quantize) {
      Fusing().Absorb(main, *relu);
    }
    Fusing().Absorb(main, *quantize);
    return true;
  }

 private:
  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return graph_.value(id).type; }

  [[nodiscard]] bool IsConstant(ValueId id) const {
    return id != kNoValue && graph_.value(id).constant.has_value();
  }

  [[nodiscard]] bool IsOne(ValueId id) const { return TypeOf(id).shape.ElementCount() == 1; }

  // The operands of QuantizeLinear and DequantizeLinear, where they are constant float32 scales.
  [[nodiscard]] std::optional<Quantized> ScaledBy(const Node& node) const {
    Quantized result{.data = node.inputs[0],
                     .scale = node.inputs[1],
                     .zero = node.inputs.size() > 2 ? node.inputs[2] : kNoValue,
                     .axis = node.attributes.Int("axis", 1)};
    const bool constant = IsConstant(result.scale) &&
                          TypeOf(result.scale).dtype == DType::kFloat32 &&
                          (result.zero == kNoValue || IsConstant(result.zero));
    return constant && node.attributes.Int("block_size", 0) == 0 ? std::optional(result)
                                                                 : std::nullopt;
  }

  [[nodiscard]] std::optional<Quantized> Dequantized(ValueId id) const {
    const NodeId producer = id == kNoValue ? kNoNode : producers_[static_cast<std::size_t>(id)];
    if (producer == kNoNode || graph_.node(producer).op != OpKind::kDequantizeLinear) {
      return std::nullopt;
    }
    return ScaledBy(graph_.node(producer));
  }

  [[nodiscard]] std::optional<Quantized> QuantizedBy(const Node& node) const {
    const auto y = ScaledBy(node);
    const bool fits = y && IsOne(y->scale) && kByteDTypes.Has(TypeOf(node.outputs[0]).dtype);
    return fits ? y : std::nullopt;
  }

  [[nodiscard]] bool IsData(const Quantized& x) const {
    return kByteDTypes.Has(TypeOf(x.data).dtype) && IsOne(x.scale);
  }

  // Constant, with one scale or one for each result channel.
  [[nodiscard]] bool IsWeights(const Node& main, const Quantized& w) const {
    const Shape& shape = TypeOf(w.data).shape;
    if (!IsConstant(w.data) || !kByteDTypes.Has(TypeOf(w.data).dtype)) {
      return false;
    }
    int channels = 0;  // the axis of result channels
    if (main.op != OpKind::kConv) {
      if (shape.rank() != 2 || TypeOf(main.inputs[0]).shape.rank() < 1) {
        return false;
      }
      channels = IsTransposed(main) ? 0 : 1;
    }
    if (main.op == OpKind::kGemm &&
        (main.attributes.Int("transA", 0) != 0 || main.attributes.Float("alpha", 1) != 1.0F ||
         main.attributes.Float("beta", 1) != 1.0F)) {
      return false;
    }
    const std::int64_t axis = w.axis < 0 ? w.axis + shape.rank() : w.axis;
    return IsOne(w.scale) || axis == channels;
  }

  [[nodiscard]] static bool IsTransposed(const Node& main) {
    return main.op == OpKind::kGemm && main.attributes.Int("transB", 0) != 0;
  }

  // The node that alone reads the result of `node`; null: none, or it reads other data.
  Node* ReaderOf(const Node& node) {
    const NodeId reader = readers_[static_cast<std::size_t>(node.outputs[0])];
    if (reader == kNoNode) {
      return nullptr;
    }
    Node& next = graph_.nodes[static_cast<std::size_t>(reader)];
    return !next.outputs.empty() && next.inputs[0] == node.outputs[0] ? &next : nullptr;
  }

  // True if the least integer stands for 0, so that a Relu before the QuantizeLinear changes
  // nothing.
  [[nodiscard]] bool SaturatesAtZero(const Node& quantize, const Quantized& y) const {
    const DType dtype = TypeOf(quantize.outputs[0]).dtype;
    const std::int64_t zero =
        y.zero == kNoValue ? 0 : IntegersOf(*graph_.value(y.zero).constant).at(0);
    return zero == (dtype == DType::kInt8 ? -128 : 0);
  }

  // The int32 values of a bias; empty: its scale is another, or it has no integers.
  [[nodiscard]] std::optional<ValueId> BiasOf(ValueId id, const Quantized& x,
                                              const Quantized& w) const {
    const auto bias = Dequantized(id);
    if (!bias || !IsConstant(bias->data) || TypeOf(bias->data).dtype != DType::kInt32) {
      return std::nullopt;
    }
    const auto values = [&](ValueId scale) { return DoublesOf(*graph_.value(scale).constant); };
    if (bias->zero != kNoValue) {
      for (const double zero : values(bias->zero)) {
        if (zero != 0) {
          return std::nullopt;
        }
      }
    }
    const std::vector<double> b = values(bias->scale);
    const std::vector<double> ws = values(w.scale);
    for (std::size_t i = 0; i < std::max(b.size(), ws.size()); ++i) {
      const double want = values(x.scale).at(0) * ws[ws.size() == 1 ? 0 : i];
      if (std::abs(b[b.size() == 1 ? 0 : i] - want) > kSameScale * want) {
        return std::nullopt;
      }
    }
    return bias->data;
  }

  ValueId AddConstant(const std::string& name, Tensor tensor) {
    const TensorType type = tensor.type();
    return graph_.AddValue({.name = name, .type = type, .constant = std::move(tensor)});
  }

  ValueId ZeroOr(ValueId zero, DType dtype, const std::string& name) {
    return zero != kNoValue ? zero : AddConstant(name, Tensor(dtype, Shape{}));
  }

  void Rewrite(Node& main, const Quantized& x, const Quantized& w, const Quantized& y,
               ValueId bias) {
    const ValueId weights = IsTransposed(main)
                                ? AddConstant(main.name + "/transposed_weights",
                                              Transposed(*graph_.value(w.data).constant))
                                : w.data;
    const bool convolution = main.op == OpKind::kConv;
    main.inputs = {x.data,
                   x.scale,
                   ZeroOr(x.zero, TypeOf(x.data).dtype, main.name + "/x_zero_point"),
                   weights,
                   w.scale,
                   ZeroOr(w.zero, TypeOf(w.data).dtype, main.name + "/w_zero_point"),
                   y.scale,
                   ZeroOr(y.zero, DType::kUInt8, main.name + "/y_zero_point")};
    if (bias != kNoValue) {
      main.inputs.push_back(bias);
    }
    if (!convolution) {
      main.attributes = {};
    }
    main.op = convolution ? OpKind::kQLinearConv : OpKind::kQLinearMatMul;
  }

  Graph& graph_;
  std::vector<NodeId> producers_;
  std::vector<NodeId> readers_;
};

}  // namespace

void FuseQuantized(Graph& graph) {
  QuantizedFusion fusion(graph);
  for (Node& node : graph.nodes) {
    const bool matrix =
        node.op == OpKind::kConv || node.op == OpKind::kMatMul || node.op == OpKind::kGemm;
    if (matrix && node.fusion == kNoFusion) {
      fusion.Fuse(node);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
