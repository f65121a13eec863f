#include "src/base/error.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

Shape WithoutAxes(const Shape& shape, const std::vector<bool>& reduced, bool keep) {
  std::vector<std::int64_t> dims;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!reduced[static_cast<std::size_t>(axis)]) {
      dims.push_back(shape[axis]);
    } else if (keep) {
      dims.push_back(1);
    }
  }
  return Shape(std::move(dims));
}

}  // namespace

std::vector<TensorType> ReduceShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const bool keep = query.attributes.Int("keepdims", 1) != 0;
  std::vector<std::int64_t> axes;
  if (query.inputs.size() > 1 && query.inputs[1] != nullptr) {
    if (query.constants[1] == nullptr) {
      throw RunTimeOperand(1, "axes");
    }
    axes = IntegersOf(*query.constants[1]);
  }
  std::vector<bool> reduced(static_cast<std::size_t>(x.shape.rank()), false);
  if (axes.empty()) {
    if (query.attributes.Int("noop_with_empty_axes", 0) != 0) {
      return {x};
    }
    reduced.assign(reduced.size(), true);
  }
  for (const std::int64_t axis : axes) {
    reduced[static_cast<std::size_t>(NormalizeAxis(axis, x.shape.rank()))] = true;
  }
  return {{x.dtype, WithoutAxes(x.shape, reduced, keep)}};
}

std::vector<TensorType> ArgReduceShape(const ShapeQuery& query) {
  const Shape& shape = query.inputs.at(0)->shape;
  std::vector<bool> reduced(static_cast<std::size_t>(shape.rank()), false);
  reduced[static_cast<std::size_t>(NormalizeAxis(query.attributes.Int("axis", 0), shape.rank()))] =
      true;
  return {{DType::kInt64, WithoutAxes(shape, reduced, query.attributes.Int("keepdims", 1) != 0)}};
}

}  // namespace halftone
