// Shape rules of matrix products, convolution and pooling.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/shape_rules.h"
#include "src/ir/window.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowModel(std::string_view message) {
  throw Error(ErrorKind::kModel, message);
}

TensorType WindowOutput(const TensorType& input, std::int64_t channels, const Window& window) {
  std::vector<std::int64_t> dims = {input.shape[0], channels};
  dims.insert(dims.end(), window.output.begin(), window.output.end());
  return {input.dtype, Shape(std::move(dims))};
}

}  // namespace

std::vector<TensorType> ConvShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& w = query.inputs.at(1)->shape;
  if (x.shape.rank() < 3 || w.rank() != x.shape.rank()) {
    ThrowModel(
        fmt::format("expected input and weights of the same rank of at least 3, got {} and {}",
                    x.shape.ToString(), w.ToString()));
  }
  const std::int64_t group = query.attributes.Int("group", 1);
  if (group < 1 || x.shape[1] % group != 0 || x.shape[1] / group != w[1] || w[0] % group != 0) {
    ThrowModel(fmt::format("input {} and weights {} do not fit {} groups", x.shape.ToString(),
                           w.ToString(), group));
  }
  if (query.inputs.size() > 2 && query.inputs[2] != nullptr &&
      query.inputs[2]->shape != Shape{w[0]}) {
    ThrowModel(fmt::format("expected a bias of {} values, got {}", w[0],
                           query.inputs[2]->shape.ToString()));
  }
  const Window window = WindowOf(query.attributes, x.shape, {w.dims().begin() + 2, w.dims().end()});
  for (int axis = 2; axis < w.rank(); ++axis) {
    if (window.kernel[static_cast<std::size_t>(axis) - 2] != w[axis]) {
      ThrowModel(
          fmt::format("attribute 'kernel_shape' does not match the weights {}", w.ToString()));
    }
  }
  return {WindowOutput(x, w[0], window)};
}

std::vector<TensorType> GemmShape(const ShapeQuery& query) {
  const Shape& a = query.inputs.at(0)->shape;
  const Shape& b = query.inputs.at(1)->shape;
  if (a.rank() != 2 || b.rank() != 2) {
    ThrowModel(fmt::format("expected two matrices, got {} and {}", a.ToString(), b.ToString()));
  }
  const int trans_a = query.attributes.Int("transA", 0) != 0 ? 1 : 0;
  const int trans_b = query.attributes.Int("transB", 0) != 0 ? 1 : 0;
  if (a[1 - trans_a] != b[trans_b]) {
    ThrowModel(fmt::format("inner extents of {} and {} differ", a.ToString(), b.ToString()));
  }
  const Shape result{a[trans_a], b[1 - trans_b]};
  if (query.inputs.size() > 2 && query.inputs[2] != nullptr &&
      BroadcastShapes(query.inputs[2]->shape, result) != result) {
    ThrowModel(fmt::format("C of shape {} does not broadcast to {}",
                           query.inputs[2]->shape.ToString(), result.ToString()));
  }
  return {{query.inputs[0]->dtype, result}};
}

// Determinants of the matrices in the last two axes.
std::vector<TensorType> DetShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const int rank = x.shape.rank();
  if (rank < 2 || x.shape[rank - 1] != x.shape[rank - 2] || !IsFloating(x.dtype)) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 0: expected square matrices of floats, [..., M, M], got {}",
                            x.ToString()));
  }
  return {{x.dtype, Shape({x.shape.dims().begin(), x.shape.dims().end() - 2})}};
}

std::vector<TensorType> MatMulShape(const ShapeQuery& query) {
  std::vector<std::int64_t> a = query.inputs.at(0)->shape.dims();
  const Shape& stored = query.inputs.at(1)->shape;
  std::vector<std::int64_t> b;
  for (const std::int64_t axis : query.fusion.b_perm) {
    b.push_back(stored[static_cast<int>(axis)]);
  }
  b = b.empty() ? stored.dims() : b;
  if (a.empty() || b.empty()) {
    ThrowModel("expected operands of rank 1 or more, got a scalar");
  }
  const bool vector_a = a.size() == 1;
  const bool vector_b = b.size() == 1;
  if (vector_a) {
    a.insert(a.begin(), 1);
  }
  if (vector_b) {
    b.push_back(1);
  }
  if (a.back() != b[b.size() - 2]) {
    ThrowModel(fmt::format("inner extents of {} and {} differ", query.inputs[0]->shape.ToString(),
                           query.inputs[1]->shape.ToString()));
  }
  std::vector<std::int64_t> dims =
      BroadcastShapes(Shape({a.begin(), a.end() - 2}), Shape({b.begin(), b.end() - 2})).dims();
  if (!vector_a) {
    dims.push_back(a[a.size() - 2]);
  }
  if (!vector_b) {
    dims.push_back(b.back());
  }
  return {{query.inputs[0]->dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> PoolShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const TensorType y =
      WindowOutput(x, x.shape.rank() > 1 ? x.shape[1] : 0, WindowOf(query.attributes, x.shape));
  if (query.output_count > 1) {  // Indices of MaxPool
    return {y, {DType::kInt64, y.shape}};
  }
  return {y};
}

std::vector<TensorType> GlobalPoolShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  if (type.shape.rank() < 3) {
    ThrowModel(fmt::format("expected an input of shape [N, C, spatial...], got {}",
                           type.shape.ToString()));
  }
  for (int axis = 2; axis < type.shape.rank(); ++axis) {
    type.shape[axis] = 1;
  }
  return {std::move(type)};
}

}  // namespace halftone
