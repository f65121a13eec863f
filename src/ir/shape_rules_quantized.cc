// Shape rules of operators on quantised data: an integer q stands for scale * (q - zero_point).
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowModel(std::string message) {
  throw Error(ErrorKind::kModel, std::move(message));
}

const TensorType* Operand(const ShapeQuery& query, std::size_t i) {
  return i < query.inputs.size() ? query.inputs[i] : nullptr;
}

void RequireByte(const ShapeQuery& query, std::size_t i) {
  const TensorType* type = Operand(query, i);
  if (type != nullptr && !kByteDTypes.Has(type->dtype)) {
    ThrowModel(fmt::format("input {}: expected int8 or uint8, got {}", i, type->ToString()));
  }
}

// A zero point has the type of what it belongs to.
void RequireTypeOf(const ShapeQuery& query, std::size_t i, std::size_t owner) {
  const TensorType* type = Operand(query, i);
  if (type != nullptr && type->dtype != query.inputs[owner]->dtype) {
    ThrowModel(fmt::format("input {}: expected {} as input {}, got {}", i,
                           NameOf(query.inputs[owner]->dtype), owner, type->ToString()));
  }
}

// One element, or `count` in a row.
void RequireOneOr(const ShapeQuery& query, std::size_t i, std::int64_t count) {
  const TensorType* type = Operand(query, i);
  if (type == nullptr || type->shape.ElementCount() == 1) {
    return;
  }
  if (count != 1 && type->shape == Shape{count}) {
    return;
  }
  ThrowModel(count == 1 ? fmt::format("input {}: expected one element, got {}", i, type->ToString())
                        : fmt::format("input {}: expected one element or {}, got {}", i, count,
                                      type->ToString()));
}

// One element, one for each row (index `axis` from the end) of the matrices `of`, or the same with
// the batch: [rows] for a matrix, else [batch..., rows, 1] or [batch..., 1, columns].
void RequirePerLine(const ShapeQuery& query, std::size_t i, std::size_t of, int axis) {
  const TensorType* type = Operand(query, i);
  if (type == nullptr || type->shape.ElementCount() == 1) {
    return;
  }
  const Shape& matrix = query.inputs[of]->shape;
  const int rank = matrix.rank();
  if (rank >= 2 && type->shape == Shape{matrix[rank + axis]}) {
    return;
  }
  Shape lines = matrix;
  if (rank >= 2) {
    lines[rank + (axis == -1 ? -2 : -1)] = 1;
  }
  if (rank < 2 || type->shape != lines) {
    ThrowModel(fmt::format("input {}: expected one element, or one for each {} of {}, got {}", i,
                           axis == -1 ? "column" : "row", matrix.ToString(), type->ToString()));
  }
}

std::vector<TensorType> WithDType(std::vector<TensorType> types, DType dtype) {
  types[0].dtype = dtype;
  return types;
}

// The rule of the float operator on operands `a`, `b` and, where it is there, `c`.
std::vector<TensorType> FloatRule(ShapeRule rule, const ShapeQuery& query, std::size_t a,
                                  std::size_t b, std::size_t c) {
  ShapeQuery plain{.attributes = query.attributes};
  plain.inputs = {query.inputs.at(a), query.inputs.at(b), Operand(query, c)};
  plain.constants = {nullptr, nullptr, nullptr};
  return rule(plain);
}

constexpr std::size_t kNone = ~std::size_t{0};

// Scales and zero points of QuantizeLinear and DequantizeLinear: one element, one along an axis, or
// one for each block along an axis.
void RequireScaleShape(const ShapeQuery& query) {
  const Shape& x = query.inputs.at(0)->shape;
  const Shape& scale = query.inputs.at(1)->shape;
  const TensorType* zero = Operand(query, 2);
  const bool one_scale = scale.ElementCount() == 1;
  if (zero != nullptr && zero->shape != scale && !(one_scale && zero->shape.ElementCount() == 1)) {
    ThrowModel(fmt::format("expected scale and zero point of one shape, got {} and {}",
                           scale.ToString(), zero->shape.ToString()));
  }
  const std::int64_t block = query.attributes.Int("block_size", 0);
  if (one_scale && block == 0) {
    return;
  }
  const std::int64_t stated = query.attributes.Int("axis", 1);
  const std::int64_t axis = stated < 0 ? stated + x.rank() : stated;
  if (axis < 0 || axis >= x.rank()) {
    ThrowModel(
        fmt::format("attribute 'axis': {} is outside an input of shape {}", stated, x.ToString()));
  }
  const int a = static_cast<int>(axis);
  if (block == 0) {
    if (scale != Shape{x[a]}) {
      ThrowModel(fmt::format("expected a scale of 1 or {} values (axis {} of {}), got {}", x[a],
                             axis, x.ToString(), scale.ToString()));
    }
    return;
  }
  Shape blocks = x;
  blocks[a] = block > 0 ? x[a] / block + (x[a] % block != 0 ? 1 : 0) : 0;
  if (block < 0 || scale != blocks) {
    ThrowModel(fmt::format(
        "attribute 'block_size': blocks of {} along axis {} of {} do not fit a scale of shape {}",
        block, axis, x.ToString(), scale.ToString()));
  }
}

}  // namespace

std::vector<TensorType> MatMulIntegerShape(const ShapeQuery& query) {
  RequireByte(query, 0);
  RequireByte(query, 1);
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 3, 1);
  RequirePerLine(query, 2, 0, -2);
  RequirePerLine(query, 3, 1, -1);
  return WithDType(FloatRule(MatMulShape, query, 0, 1, kNone), DType::kInt32);
}

std::vector<TensorType> ConvIntegerShape(const ShapeQuery& query) {
  RequireByte(query, 0);
  RequireByte(query, 1);
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 3, 1);
  auto types = WithDType(FloatRule(ConvShape, query, 0, 1, kNone), DType::kInt32);
  RequireOneOr(query, 2, 1);
  RequireOneOr(query, 3, query.inputs[1]->shape[0]);
  return types;
}

std::vector<TensorType> QLinearMatMulShape(const ShapeQuery& query) {
  for (const std::size_t i : {0, 3, 7}) {
    RequireByte(query, i);
  }
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 5, 3);
  for (const std::size_t i : {1, 2}) {
    RequirePerLine(query, i, 0, -2);
  }
  for (const std::size_t i : {4, 5}) {
    RequirePerLine(query, i, 3, -1);
  }
  RequireOneOr(query, 6, 1);
  RequireOneOr(query, 7, 1);
  auto types = WithDType(FloatRule(MatMulShape, query, 0, 3, kNone), query.inputs[7]->dtype);
  // A bias is what passes make (src/passes/fuse/fuse_quantized.h).
  if (const TensorType* bias = Operand(query, 8);
      bias != nullptr && bias->shape != Shape{query.inputs[3]->shape.dims().back()}) {
    ThrowModel(fmt::format("input 8: expected a bias of {} values, got {}",
                           query.inputs[3]->shape.dims().back(), bias->ToString()));
  }
  return types;
}

std::vector<TensorType> QLinearConvShape(const ShapeQuery& query) {
  for (const std::size_t i : {0, 3, 7}) {
    RequireByte(query, i);
  }
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 5, 3);
  auto types = WithDType(FloatRule(ConvShape, query, 0, 3, 8), query.inputs[7]->dtype);
  for (const std::size_t i : {1, 2, 6, 7}) {
    RequireOneOr(query, i, 1);
  }
  for (const std::size_t i : {4, 5}) {
    RequireOneOr(query, i, query.inputs[3]->shape[0]);
  }
  return types;
}

std::vector<TensorType> QuantizeLinearShape(const ShapeQuery& query) {
  const TensorType* zero = Operand(query, 2);
  if (zero != nullptr && !kQuantizedDTypes.Has(zero->dtype)) {
    ThrowModel(
        fmt::format("input 2: expected int8, uint8, int16 or uint16, got {}", zero->ToString()));
  }
  RequireScaleShape(query);
  return {{zero != nullptr ? zero->dtype : DType::kUInt8, query.inputs[0]->shape}};
}

std::vector<TensorType> DequantizeLinearShape(const ShapeQuery& query) {
  RequireTypeOf(query, 2, 0);
  RequireScaleShape(query);
  return {{DType::kFloat32, query.inputs[0]->shape}};
}

std::vector<TensorType> DynamicQuantizeLinearShape(const ShapeQuery& query) {
  std::vector<TensorType> types = {{DType::kUInt8, query.inputs.at(0)->shape},
                                   {DType::kFloat32, Shape{}},
                                   {DType::kUInt8, Shape{}}};
  types.resize(static_cast<std::size_t>(std::clamp(query.output_count, 1, 3)));
  return types;
}

}  // namespace halftone
