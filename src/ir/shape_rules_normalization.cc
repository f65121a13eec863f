// Shape rules of normalisations: results of the shape of input 0, and parameters that must fit it.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"

namespace halftone {

using namespace shape_rules;  // NOLINT(google-build-using-namespace): this file's own helpers

namespace {

// Operands `names`, from input 1 on: a value for each channel of input 0, [N, C, spatial...].
std::vector<TensorType> ChannelNorm(const ShapeQuery& query,
                                    std::initializer_list<std::string_view> names) {
  const Shape& x = query.inputs.at(0)->shape;
  if (x.rank() < 2) {
    ThrowModel(fmt::format("expected an input of shape [N, C, spatial...], got {}", x.ToString()));
  }
  std::size_t input = 0;
  for (const std::string_view name : names) {
    RequireShape(query.inputs.at(++input)->shape, {x[1]}, name);
  }
  return {*query.inputs[0]};
}

// Scale and bias that repeat from row to row of the elements that share a mean: the shape of the
// last of these axes, of which leading ones may be left out or 1; or one value.
void RequireRepeats(const ShapeQuery& query, std::size_t input, int axis, std::string_view name) {
  if (!Present(query, input) || query.inputs[input]->shape.ElementCount() == 1) {
    return;
  }
  const Shape& x = query.inputs.at(0)->shape;
  const Shape& operand = query.inputs[input]->shape;
  const auto first = std::find_if(operand.dims().begin(), operand.dims().end(),
                                  [](std::int64_t extent) { return extent != 1; });
  const Shape repeated({first, operand.dims().end()});
  const bool fits = repeated.rank() <= x.rank() - axis &&
                    std::equal(repeated.dims().rbegin(), repeated.dims().rend(), x.dims().rbegin());
  if (!fits) {
    ThrowModel(
        fmt::format("input '{}': expected the last axes of {}, of the {} that are "
                    "normalized, got {}",
                    name, x.ToString(), x.rank() - axis, operand.ToString()));
  }
}

int FirstNormalized(const ShapeQuery& query) {
  return NormalizeAxis(query.attributes.Int("axis", -1), query.inputs.at(0)->shape.rank());
}

}  // namespace

std::vector<TensorType> BatchNormalizationShape(const ShapeQuery& query) {
  return ChannelNorm(query, {"scale", "B", "input_mean", "input_var"});
}

std::vector<TensorType> InstanceNormalizationShape(const ShapeQuery& query) {
  return ChannelNorm(query, {"scale", "B"});
}

std::vector<TensorType> GroupNormalizationShape(const ShapeQuery& query) {
  const Shape& x = query.inputs.at(0)->shape;
  const std::int64_t groups = query.attributes.Int("num_groups", 0);
  if (x.rank() < 2 || groups < 1 || x[1] % groups != 0) {
    ThrowModel(fmt::format("attribute 'num_groups': {} does not divide the channels of {}", groups,
                           x.ToString()));
  }
  for (const std::size_t input : {1U, 2U}) {  // a value per group until opset 20
    const Shape& operand = query.inputs.at(input)->shape;
    if (operand != Shape{x[1]} && operand != Shape{groups}) {
      ThrowModel(fmt::format("input {}: expected {} or {} values, got {}", input, x[1], groups,
                             operand.ToString()));
    }
  }
  return {*query.inputs[0]};
}

// Mean and InvStdDev keep the normalized axes with extent 1.
std::vector<TensorType> LayerNormalizationShape(const ShapeQuery& query) {
  Shape shape = query.inputs.at(0)->shape;
  const int first = FirstNormalized(query);
  RequireRepeats(query, 1, first, "Scale");
  RequireRepeats(query, 2, first, "B");
  for (int axis = first; axis < shape.rank(); ++axis) {
    shape[axis] = 1;
  }
  return Used(query, {*query.inputs[0], {DType::kFloat32, shape}, {DType::kFloat32, shape}});
}

std::vector<TensorType> RmsNormalizationShape(const ShapeQuery& query) {
  RequireRepeats(query, 1, FirstNormalized(query), "scale");
  return {*query.inputs[0]};
}

}  // namespace halftone
