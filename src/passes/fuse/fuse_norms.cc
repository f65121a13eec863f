#include "src/passes/fuse/fuse_norms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "src/passes/pattern/fuse_chains.h"

namespace halftone {
namespace {

using Chain = std::optional<FusedChain>;

std::optional<ValueId> Bound(const ChainMatch& match, std::string_view name) {
  const auto found = match.values.find(name);
  return found == match.values.end() ? std::nullopt : std::optional(found->second);
}

bool IsReduction(OpKind op) {
  return op == OpKind::kReduceMean || op == OpKind::kReduceSum;
}

// The first of the axes when they are the last ones of `rank`; -1 when they are not.
int FirstOfLastAxes(const Tensor& axes, int rank) {
  std::set<int> found;
  for (const std::int64_t axis : IntegersOf(axes)) {
    if (axis < -rank || axis >= rank) {
      return -1;
    }
    found.insert(static_cast<int>(axis < 0 ? axis + rank : axis));
  }
  const bool last = !found.empty() && *found.begin() == rank - static_cast<int>(found.size());
  return last ? *found.begin() : -1;
}

// The axis from which a chain normalises x; -1 when its reductions are not of the same last axes,
// do not keep them, or are no means.
int AxisOf(const Graph& graph, const ChainMatch& match) {
  const Shape& shape = graph.value(match.values.at("x")).type.shape;
  int axis = shape.rank();
  for (const NodeId n : match.nodes) {
    const Node& node = graph.node(n);
    if (!IsReduction(node.op)) {
      continue;
    }
    const int first = FirstOfLastAxes(*graph.value(node.inputs[1]).constant, shape.rank());
    if (node.attributes.Int("keepdims", 1) == 0 || (axis != shape.rank() && axis != first)) {
      return -1;
    }
    axis = first;
  }
  const auto count = static_cast<double>(axis < 0 ? 0 : shape.ElementCount(axis, shape.rank()));
  for (const auto& [name, number] :
       {std::pair("$share", 1 / count), {"$square_share", 1 / count}}) {
    const auto factor = Bound(match, name);
    if (factor && !IsNumber(graph.value(*factor), number)) {
      return -1;
    }
  }
  return count == 0 ? -1 : axis;
}

// `id` as an operand of the shape of a row; empty when it varies otherwise. `id` is a constant, or
// left out: then `absent` stands for it.
std::optional<Tensor> RowOperand(const Graph& graph, std::optional<ValueId> id, double absent,
                                 const TensorType& row_type, const Fusing& fusing) {
  const auto& [dtype, row] = row_type;
  double number = absent;
  if (id) {
    const Tensor& constant = *graph.value(*id).constant;
    std::vector<std::int64_t> dims = constant.shape().dims();
    while (static_cast<int>(dims.size()) > row.rank() && dims.front() == 1) {
      dims.erase(dims.begin());
    }
    if (Shape(dims) == row) {
      return constant.Reshaped(row);
    }
    if (constant.ElementCount() != 1) {
      return std::nullopt;
    }
    number = ScalarOf(graph, *id);
  }
  const Hash128 key =
      Hasher().Add(row_type.ToString()).Add(std::bit_cast<std::int64_t>(number)).Finish();
  return fusing.Constant(key, {}, [&] {
    Tensor filled(row_type);
    for (std::int64_t i = 0; i < filled.ElementCount(); ++i) {
      StoreDouble(row_type.dtype, filled.mutable_data(), i, number);
    }
    return filled;
  });
}

ValueId AddConstant(Graph& graph, std::string name, Tensor tensor, std::optional<ValueId> of) {
  const TensorType type = tensor.type();
  return graph.AddValue({.name = std::move(name),
                         .type = type,
                         .constant = std::move(tensor),
                         .stands_for = of.value_or(kNoValue)});
}

Chain MakeNorm(Graph& graph, const ChainMatch& match, OpKind op, const Fusing& fusing) {
  const ValueId x = match.values.at("x");
  const TensorType type = graph.value(x).type;
  const int axis = AxisOf(graph, match);
  const double epsilon = ScalarOf(graph, match.values.at("$epsilon"));
  if (axis < 0 || type != ResultOf(graph, match).type || !(epsilon >= 0)) {
    return std::nullopt;
  }
  const std::vector<std::int64_t>& dims = type.shape.dims();
  const TensorType row{type.dtype,
                       Shape(std::vector<std::int64_t>(dims.begin() + axis, dims.end()))};
  const auto gamma = Bound(match, "@gamma");
  const auto beta = Bound(match, "@beta");
  auto scale = RowOperand(graph, gamma, 1, row, fusing);
  auto bias = RowOperand(graph, beta, 0, row, fusing);
  if (!scale || !bias) {
    return std::nullopt;
  }
  const Node& main =
      graph.node(*std::find_if(match.nodes.begin(), match.nodes.end(),
                               [&](NodeId n) { return IsReduction(graph.node(n).op); }));
  FusedChain chain{.op = op, .main = main.op, .inputs = {x}, .attributes = {}};
  const std::string name = main.name;
  chain.inputs.push_back(AddConstant(graph, name + "/scale", std::move(*scale), gamma));
  if (beta) {
    chain.inputs.push_back(AddConstant(graph, name + "/bias", std::move(*bias), beta));
  }
  chain.attributes.Set("axis", std::int64_t{axis} - type.shape.rank());
  chain.attributes.Set("epsilon", static_cast<float>(epsilon));
  return chain;
}

Chain MakeLayerNorm(Graph& graph, const ChainMatch& match, const Fusing& fusing) {
  return MakeNorm(graph, match, OpKind::kLayerNormalization, fusing);
}

Chain MakeRmsNorm(Graph& graph, const ChainMatch& match, const Fusing& fusing) {
  return MakeNorm(graph, match, OpKind::kRmsNormalization, fusing);
}

constexpr ChainRow kLayerNorm[] = {
    {R"(mean = ReduceMean(x, @axes) | Mul(ReduceSum(x, @axes), $share);
        d = Sub(x, mean);
        dd = Mul(d, d) | Pow(d, 2);
        xx = Mul(x, x) | Pow(x, 2);
        square = ReduceMean(xx, @square_axes) | Mul(ReduceSum(xx, @square_axes), $square_share);
        difference = Sub(square, Mul(mean, mean) | Pow(mean, 2));
        variance = ReduceMean(dd, @square_axes) | Mul(ReduceSum(dd, @square_axes), $square_share)
                 | difference | Max(difference, 0);
        shifted = Add(variance, $epsilon);
        root = Sqrt(shifted);
        inverse = Reciprocal(root) | Div(1, root) | Pow(shifted, -0.5);
        n = Div(d, root) | Mul(d, inverse);
        factor = Mul(inverse, @gamma);
        scaled = Mul(n, @gamma) | Mul(d, factor);
        Add(scaled, @beta) | Add(Mul(x, factor), Sub(@beta, Mul(mean, factor))) | scaled | n)",
     MakeLayerNorm},
};

constexpr ChainRow kRmsNorm[] = {
    {R"(xx = Mul(x, x) | Pow(x, 2);
        square = ReduceMean(xx, @square_axes) | Mul(ReduceSum(xx, @square_axes), $square_share);
        shifted = Add(square, $epsilon);
        root = Sqrt(shifted);
        inverse = Reciprocal(root) | Div(1, root) | Pow(shifted, -0.5);
        n = Div(x, root) | Mul(x, inverse);
        Mul(n, @gamma) | Mul(x, Mul(inverse, @gamma)) | n)",
     MakeRmsNorm},
};

}  // namespace

void FuseLayerNorm(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kLayerNorm, fusing);
}

void FuseRmsNorm(Graph& graph, const Fusing& fusing) {
  FuseChains(graph, kRmsNorm, fusing);
}

}  // namespace halftone
