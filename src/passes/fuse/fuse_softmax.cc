#include "src/passes/fuse/fuse_softmax.h"

#include <cmath>

#include "src/passes/pattern/fuse_chains.h"

namespace halftone {
namespace {

using Chain = std::optional<FusedChain>;

ValueId BoundOr(const ChainMatch& match, std::string_view name) {
  const auto found = match.values.find(name);
  return found == match.values.end() ? kNoValue : found->second;
}

// Whether the operator is a Softmax of a model, along the last axis of `shape`.
bool IsPlainAlongLastAxis(const Node& softmax, const Shape& shape) {
  return !softmax.fusion.softmax && softmax.attributes.Int("coerce_2d", 0) == 0 &&
         shape.rank() > 0 &&
         NormalizeAxis(softmax.attributes.Int("axis", -1), shape.rank()) == shape.rank() - 1;
}

// Whether an operand has whole rows of `shape`, and repeats along the other axes at most.
bool HasRowsOf(const Shape& own, const Shape& shape) {
  if (own.rank() == 0 || own.rank() > shape.rank() ||
      own[own.rank() - 1] != shape[shape.rank() - 1]) {
    return false;
  }
  for (int back = 1; back <= own.rank(); ++back) {
    const std::int64_t extent = own[own.rank() - back];
    if (extent != 1 && extent != shape[shape.rank() - back]) {
      return false;
    }
  }
  return true;
}

// 1 where nothing scales.
double ScaleOf(const Graph& graph, const ChainMatch& match) {
  const ValueId factor = BoundOr(match, "$scale");
  const ValueId divisor = BoundOr(match, "$divisor");
  return factor != kNoValue    ? ScalarOf(graph, factor)
         : divisor != kNoValue ? 1 / ScalarOf(graph, divisor)
                               : 1;
}

Chain MakeSoftmax(Graph& graph, const ChainMatch& match, const Fusing& /*fusing*/) {
  const ValueId x = match.values.at("x");
  const ValueId mask = BoundOr(match, "?mask");
  const ValueId drop = BoundOr(match, "?drop");
  const ValueId keep = drop != kNoValue ? drop : BoundOr(match, "?keep");
  const TensorType& type = graph.value(x).type;
  const Node& softmax = graph.node(match.nodes.back());
  if (type != ResultOf(graph, match).type || !IsPlainAlongLastAxis(softmax, type.shape)) {
    return std::nullopt;
  }
  for (const ValueId operand : {mask, keep}) {
    if (operand != kNoValue && !HasRowsOf(graph.value(operand).type.shape, type.shape)) {
      return std::nullopt;
    }
  }
  const auto scale = static_cast<float>(ScaleOf(graph, match));
  if (!std::isfinite(scale) || (mask != kNoValue && graph.value(mask).type.dtype != type.dtype)) {
    return std::nullopt;
  }
  FusedChain chain{.op = OpKind::kSoftmax,
                   .main = OpKind::kSoftmax,
                   .inputs = {x, mask, keep},
                   .attributes = softmax.attributes};
  while (chain.inputs.back() == kNoValue) {
    chain.inputs.pop_back();
  }
  StepSoftmax fused{.scale = scale, .drop = drop != kNoValue};
  if (keep != kNoValue) {
    fused.fill = static_cast<float>(ScalarOf(graph, match.values.at("$fill")));
  }
  chain.fusion.softmax = fused;
  return chain;
}

// GPT-2: the causal mask first, then that of padding.
Chain MakeSoftmaxWithMaskLast(Graph& graph, const ChainMatch& match, const Fusing& fusing) {
  Chain chain = MakeSoftmax(graph, match, fusing);
  if (chain) {
    chain->fusion.softmax->mask_last = true;
  }
  return chain;
}

constexpr ChainRow kSoftmax[] = {
    {R"(scaled = Mul(x, $scale) | Div(x, $divisor);
        kept = Where(?keep, scaled | x, $fill) | Where(?drop, $fill, scaled | x);
        Softmax(Add(kept, ?mask)))",
     MakeSoftmaxWithMaskLast},
    {R"(scaled = Mul(x, $scale) | Div(x, $divisor);
        t = Add(scaled, ?mask) | scaled | Add(x, ?mask);
        Softmax(Where(?keep, t | x, $fill) | Where(?drop, $fill, t | x) | t))",
     MakeSoftmax},
};

}  // namespace

void FuseSoftmax(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kSoftmax, fusing);
}

}  // namespace halftone
