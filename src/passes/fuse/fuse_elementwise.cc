#include "src/passes/fuse/fuse_elementwise.h"

#include <cmath>

#include "src/passes/pattern/fuse_chains.h"

namespace halftone {
namespace {

using Chain = std::optional<FusedChain>;

// An operator of x alone whose result has its type: nothing is broadcast.
Chain OfX(const Graph& graph, const ChainMatch& match, OpKind op, OpKind main,
          Attributes attributes = {}) {
  const ValueId x = match.values.at("x");
  if (graph.value(x).type != ResultOf(graph, match).type) {
    return std::nullopt;
  }
  return FusedChain{.op = op, .main = main, .inputs = {x}, .attributes = std::move(attributes)};
}

Chain MakeGelu(Graph& graph, const ChainMatch& match, const Fusing& /*fusing*/) {
  if (FindInChain(graph, match, OpKind::kErf) != nullptr) {
    return OfX(graph, match, OpKind::kGelu, OpKind::kErf);
  }
  Attributes attributes;
  attributes.Set("approximate", std::string("tanh"));
  return OfX(graph, match, OpKind::kGelu, OpKind::kTanh, std::move(attributes));
}

// The factors x, s and 1/2 in any order. 0.0356774 is 0.044715 sqrt(2 / pi).
constexpr ChainRow kGelu[] = {
    {R"(x2 = Mul(x, x) | Pow(x, 2);
        cubic = Mul(Pow(x, 3) | Mul(x, x2), 0.044715) | Mul(x, Mul(x2, 0.044715))
              | Mul(Mul(x, 0.044715), x2) | Mul(x, Mul(x, Mul(x, 0.044715)));
        inner = Add(x, cubic) | Mul(x, Add(Mul(x2, 0.044715), 1));
        t = Erf(Mul(x, 0.7071067811865476) | Div(x, 1.4142135623730951))
          | Tanh(Mul(inner, 0.7978845608028654)
                 | Mul(x, Add(Mul(x2, 0.035677408136300125), 0.7978845608028654)));
        s = Add(t, 1);
        Mul(Mul(x, 0.5) | Div(x, 2), s)
        | Mul(x, Mul(s, 0.5) | Div(s, 2) | Add(Mul(t, 0.5) | Div(t, 2), 0.5))
        | Mul(Mul(x, s), 0.5) | Div(Mul(x, s), 2))",
     MakeGelu},
};

Chain MakeSwish(Graph& graph, const ChainMatch& match, const Fusing& /*fusing*/) {
  Attributes attributes;
  if (const auto alpha = match.values.find("$alpha"); alpha != match.values.end()) {
    attributes.Set("alpha", static_cast<float>(ScalarOf(graph, alpha->second)));
  }
  return OfX(graph, match, OpKind::kSwish, OpKind::kSigmoid, std::move(attributes));
}

constexpr ChainRow kSwish[] = {
    {"Mul(x, Sigmoid(x | Mul(x, $alpha)))", MakeSwish},
};

Chain MakeHardSwish(Graph& graph, const ChainMatch& match, const Fusing& /*fusing*/) {
  const Node* gate = FindInChain(graph, match, OpKind::kHardSigmoid);
  if (gate == nullptr) {
    return OfX(graph, match, OpKind::kHardSwish, OpKind::kClip);
  }
  // HardSwish has these two numbers built in; 2^-26 is one rounding of 1/6.
  const bool same = std::abs(gate->attributes.Float("alpha", 0.2F) - 1.0F / 6) <= 0x1p-26F &&
                    gate->attributes.Float("beta", 0.5F) == 0.5F;
  return same ? OfX(graph, match, OpKind::kHardSwish, OpKind::kHardSigmoid) : std::nullopt;
}

constexpr ChainRow kHardSwish[] = {
    {"Mul(x, HardSigmoid(x))", MakeHardSwish},
    {R"(gate = Clip(Add(x, 3), 0, 6);
        Mul(x, Mul(gate, 0.16666666666666666) | Div(gate, 6))
        | Mul(Mul(x, 0.16666666666666666) | Div(x, 6), gate)
        | Mul(Mul(x, gate), 0.16666666666666666) | Div(Mul(x, gate), 6))",
     MakeHardSwish},
};

Chain MakeMish(Graph& graph, const ChainMatch& match, const Fusing& /*fusing*/) {
  return OfX(graph, match, OpKind::kMish, OpKind::kTanh);
}

constexpr ChainRow kMish[] = {
    {"Mul(x, Tanh(Softplus(x) | Log(Add(Exp(x), 1))))", MakeMish},
};

}  // namespace

void FuseGelu(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kGelu, fusing);
}

void FuseSwish(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kSwish, fusing);
}

void FuseHardSwish(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kHardSwish, fusing);
}

void FuseMish(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kMish, fusing);
}

}  // namespace halftone
