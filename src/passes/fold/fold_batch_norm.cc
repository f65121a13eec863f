#include "src/passes/fold/fold_batch_norm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "src/ir/fused_operands.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

// y -> scale[c] y + shift[c] on channel c.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

// The values of a constant operand, one per channel of [N, C, spatial...]; empty when it is not
// constant or varies along another axis. The channel axis is the second of `rank`.
std::vector<double> PerChannel(const Value& operand, std::int64_t channels, int rank) {
  const Shape& shape = operand.type.shape;
  if (!operand.constant || shape.rank() > rank) {
    return {};
  }
  const std::int64_t count = shape.ElementCount();
  const int channel_axis = shape.rank() - (rank - 1);
  const bool varies_by_channel_only =
      count == 1 || (channel_axis >= 0 && count == channels && shape[channel_axis] == channels);
  if (!varies_by_channel_only) {
    return {};
  }
  std::vector<double> values = DoublesOf(*operand.constant);
  values.resize(static_cast<std::size_t>(channels), values.at(0));
  return values;
}

std::optional<Affine> BatchNormAffine(const Graph& graph, const Node& node, std::int64_t channels) {
  for (std::size_t i = 1; i < 5; ++i) {
    const Value& parameter = graph.value(node.inputs[i]);
    if (!parameter.constant || parameter.type.shape != Shape{channels}) {
      return std::nullopt;
    }
  }
  const auto values = [&](std::size_t i) {
    return DoublesOf(*graph.value(node.inputs[i]).constant);
  };
  const std::vector<double> gamma = values(1);
  const std::vector<double> beta = values(2);
  const std::vector<double> mean = values(3);
  const std::vector<double> variance = values(4);
  const double epsilon = node.attributes.Float("epsilon", 1e-5F);  // default of the specification
  Affine affine;
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    const double scale = gamma[c] / std::sqrt(variance[c] + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(beta[c] - mean[c] * scale);
  }
  return affine;
}

// The affine map per channel by which `node` changes its operand `x`; empty: it does something
// else.
std::optional<Affine> AffineOf(const Graph& graph, const Node& node, ValueId x) {
  const TensorType& type = graph.value(x).type;
  if (node.op == OpKind::kBatchNormalization) {
    return node.inputs[0] == x ? BatchNormAffine(graph, node, type.shape[1]) : std::nullopt;
  }
  const bool commutes = node.op == OpKind::kMul || node.op == OpKind::kAdd;
  const bool known = commutes || node.op == OpKind::kDiv || node.op == OpKind::kSub;
  if (!known || node.inputs[0] == node.inputs[1] || (!commutes && node.inputs[0] != x) ||
      graph.value(node.outputs[0]).type != type) {
    return std::nullopt;
  }
  const ValueId other = node.inputs[0] == x ? node.inputs[1] : node.inputs[0];
  const std::int64_t channels = type.shape[1];
  std::vector<double> operand = PerChannel(graph.value(other), channels, type.shape.rank());
  if (operand.empty()) {
    return std::nullopt;
  }
  const auto count = static_cast<std::size_t>(channels);
  Affine affine{.scale = std::vector<double>(count, 1), .shift = std::vector<double>(count, 0)};
  for (std::size_t c = 0; c < count; ++c) {
    switch (node.op) {
      case OpKind::kMul:
        affine.scale[c] = operand[c];
        break;
      case OpKind::kDiv:
        affine.scale[c] = 1 / operand[c];
        break;
      case OpKind::kAdd:
        affine.shift[c] = operand[c];
        break;
      default:
        affine.shift[c] = -operand[c];
    }
  }
  return affine;
}

// `second` after `first`.
Affine Compose(const Affine& first, const Affine& second) {
  Affine both = first;
  for (std::size_t c = 0; c < both.scale.size(); ++c) {
    both.scale[c] *= second.scale[c];
    both.shift[c] = both.shift[c] * second.scale[c] + second.shift[c];
  }
  return both;
}

// Weights, and which channel of the result each of them makes.
struct WeightsOf {
  const Tensor& tensor;
  bool transposed = false;  // [C, M / groups, k...] in place of [M, C / groups, k...]
  std::int64_t groups = 1;

  // Weights behind each other that make one channel.
  [[nodiscard]] std::int64_t run() const {
    const Shape& shape = tensor.shape();
    return shape.ElementCount(transposed ? 2 : 1, shape.rank());
  }

  // Channel of a run.
  [[nodiscard]] std::int64_t channel(std::int64_t run) const {
    if (!transposed) {
      return run;
    }
    const std::int64_t outputs = tensor.shape()[1];
    const std::int64_t inputs = tensor.shape()[0] / groups;
    return run / outputs / inputs * outputs + run % outputs;
  }
};

template <typename T>
bool AllFinite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(v); });
}

// The tensor without bytes where an element is not finite: then nothing is folded.
Tensor FiniteOrNone(Tensor tensor) {
  const bool finite = tensor.dtype() == DType::kFloat32
                          ? AllFinite(tensor.values<float>())
                          : AllFinite(std::span<const double>(DoublesOf(tensor)));
  return finite ? std::move(tensor) : Tensor();
}

Tensor ScaledWeights(const WeightsOf& weights, const Affine& affine) {
  const Tensor& old = weights.tensor;
  Tensor result(old.type());
  const std::int64_t run = weights.run();
  const bool is_float = old.dtype() == DType::kFloat32;
  for (std::int64_t i = 0; i < old.ElementCount(); i += run) {
    const double scale = affine.scale[static_cast<std::size_t>(weights.channel(i / run))];
    if (is_float) {  // most weights: networks have tens of millions
      const auto from = old.values<float>().subspan(static_cast<std::size_t>(i));
      const auto to = result.mutable_values<float>().subspan(static_cast<std::size_t>(i));
      for (std::size_t k = 0; k < static_cast<std::size_t>(run); ++k) {
        to[k] = static_cast<float>(scale * static_cast<double>(from[k]));
      }
      continue;
    }
    for (std::int64_t k = i; k < i + run; ++k) {
      StoreDouble(old.dtype(), result.mutable_data(), k,
                  scale * DoubleAt(old.dtype(), old.data(), k));
    }
  }
  return FiniteOrNone(std::move(result));
}

Tensor ScaledBias(DType dtype, const Tensor* bias, const Affine& affine) {
  Tensor result(dtype, Shape{static_cast<std::int64_t>(affine.scale.size())});
  for (std::int64_t c = 0; c < result.ElementCount(); ++c) {
    const double before = bias != nullptr ? DoubleAt(bias->dtype(), bias->data(), c) : 0;
    const auto at = static_cast<std::size_t>(c);
    StoreDouble(dtype, result.mutable_data(), c, affine.scale[at] * before + affine.shift[at]);
  }
  return FiniteOrNone(std::move(result));
}

bool HasConstantWeights(const Graph& graph, const Node& node) {
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != kNoValue;
  return (node.op == OpKind::kConv || node.op == OpKind::kConvTranspose) &&
         node.outputs.size() == 1 && !node.fusion.activation &&
         node.inputs.size() <= kResidualOperand && graph.value(node.inputs[1]).constant &&
         (!has_bias || graph.value(node.inputs[2]).constant);
}

// The run of affine nodes behind a convolution or BatchNormalization.
struct Run {
  std::vector<NodeId> nodes;
  Affine affine;
};

Run RunBehind(const Graph& graph, const Node& first, const std::vector<NodeId>& readers,
              const Fusing& fusing) {
  Run run;
  ValueId last = first.outputs[0];
  while (readers[static_cast<std::size_t>(last)] != kNoNode) {
    const NodeId reader = readers[static_cast<std::size_t>(last)];
    const auto affine = AffineOf(graph, graph.node(reader), last);
    if (!affine || !fusing.MayFuse(graph, {&first, &graph.node(reader)})) {
      break;
    }
    run.affine = run.nodes.empty() ? *affine : Compose(run.affine, *affine);
    run.nodes.push_back(reader);
    last = graph.node(reader).outputs[0];
  }
  return run;
}

ValueId AddConstant(Graph& graph, const Node& node, const char* what, Tensor tensor,
                    ValueId stands_for) {
  const TensorType type = tensor.type();
  return graph.AddValue({.name = node.name + what,
                         .type = type,
                         .constant = std::move(tensor),
                         .stands_for = stands_for});
}

Hash128 HashOf(const Affine& affine) {
  return Hasher()
      .AddBytes(std::as_bytes(std::span(affine.scale)))
      .AddBytes(std::as_bytes(std::span(affine.shift)))
      .Finish();
}

void AbsorbRun(Graph& graph, Node& first, const Run& run, const Fusing& fusing) {
  for (const NodeId absorbed : run.nodes) {
    fusing.Absorb(first, graph.nodes[static_cast<std::size_t>(absorbed)]);
  }
}

void FoldIntoConv(Graph& graph, Node& conv, const Run& run, const Fusing& fusing) {
  const ValueId old_weights = conv.inputs[1];
  const ValueId old_bias = conv.inputs.size() > 2 ? conv.inputs[2] : kNoValue;
  const Tensor* bias = old_bias != kNoValue ? &*graph.value(old_bias).constant : nullptr;
  const WeightsOf weights{.tensor = *graph.value(old_weights).constant,
                          .transposed = conv.op == OpKind::kConvTranspose,
                          .groups = conv.attributes.Int("group", 1)};
  std::vector<Tensor> sources = {weights.tensor};
  if (bias != nullptr) {
    sources.push_back(*bias);
  }
  const Hash128 affine = HashOf(run.affine);
  Tensor scaled = fusing.Constant(Hasher().Add("weights").Add(affine).Add(weights.groups).Finish(),
                                  sources, [&] { return ScaledWeights(weights, run.affine); });
  Tensor shifted = fusing.Constant(Hasher().Add("bias").Add(affine).Finish(), sources, [&] {
    return ScaledBias(weights.tensor.dtype(), bias, run.affine);
  });
  if (!scaled.has_bytes() || !shifted.has_bytes()) {
    return;
  }
  conv.inputs.resize(3, kNoValue);
  conv.inputs[1] = AddConstant(graph, conv, "/folded_weights", std::move(scaled), old_weights);
  conv.inputs[2] = AddConstant(graph, conv, "/folded_bias", std::move(shifted), old_bias);
  AbsorbRun(graph, conv, run, fusing);
}

// One parameter of a BatchNormalization.
Tensor ParameterOf(DType dtype, const std::vector<double>& values, const Fusing& fusing) {
  const Hash128 key =
      Hasher().Add(NameOf(dtype)).AddBytes(std::as_bytes(std::span(values))).Finish();
  return fusing.Constant(key, {}, [&] {
    Tensor tensor(dtype, Shape{static_cast<std::int64_t>(values.size())});
    for (std::size_t c = 0; c < values.size(); ++c) {
      StoreDouble(dtype, tensor.mutable_data(), static_cast<std::int64_t>(c), values[c]);
    }
    return FiniteOrNone(std::move(tensor));
  });
}

// Into scale and bias: y = g (x - mean) / sqrt(variance + epsilon) + b becomes one of s g and
// s b + t. The mean stays where it is subtracted: as a part of the bias it would be rounded.
void FoldIntoBatchNorm(Graph& graph, Node& node, const Run& run, const Fusing& fusing) {
  if (!AffineOf(graph, node, node.inputs[0]) || node.fusion.activation) {
    return;
  }
  const std::vector<ValueId> old = node.inputs;
  const DType dtype = graph.value(old[1]).type.dtype;
  Affine folded{.scale = DoublesOf(*graph.value(old[1]).constant),
                .shift = DoublesOf(*graph.value(old[2]).constant)};
  folded = Compose(folded, run.affine);
  Tensor scale = ParameterOf(dtype, folded.scale, fusing);
  Tensor bias = ParameterOf(dtype, folded.shift, fusing);
  if (!scale.has_bytes() || !bias.has_bytes()) {
    return;
  }
  node.inputs[1] = AddConstant(graph, node, "/folded_scale", std::move(scale), old[1]);
  node.inputs[2] = AddConstant(graph, node, "/folded_shift", std::move(bias), old[2]);
  AbsorbRun(graph, node, run, fusing);
}

}  // namespace

void FoldBatchNorm(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (Node& node : graph.nodes) {
    const bool is_conv = HasConstantWeights(graph, node);
    if (!is_conv && (node.op != OpKind::kBatchNormalization || node.outputs.empty())) {
      continue;
    }
    const Run run = RunBehind(graph, node, readers, fusing);
    if (run.nodes.empty()) {
      continue;
    }
    if (is_conv) {
      FoldIntoConv(graph, node, run, fusing);
    } else {
      FoldIntoBatchNorm(graph, node, run, fusing);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
