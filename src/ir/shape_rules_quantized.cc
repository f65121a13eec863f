// Shape rules of operators on quantised data: an integer q stands for scale * (q - zero_point).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowModel(std::string_view message) {
  throw Error(ErrorKind::kModel, message);
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

// Scale (float32, one element) and zero point (one element, of the type of its tensor where
// `owner` is given) behind each other.
void RequireOneScale(const ShapeQuery& query, std::size_t scale,
                     std::optional<std::size_t> owner = {}) {
  const TensorType* type = Operand(query, scale);
  if (type == nullptr || type->dtype != DType::kFloat32) {
    ThrowModel(fmt::format("input {}: expected a float32 scale, got {}", scale,
                           type == nullptr ? "none" : type->ToString()));
  }
  if (Operand(query, scale + 1) == nullptr) {
    ThrowModel(fmt::format("input {}: expected a zero point, got none", scale + 1));
  }
  RequireOneOr(query, scale, 1);
  RequireByte(query, scale + 1);
  RequireOneOr(query, scale + 1, 1);
  if (owner) {
    RequireByte(query, *owner);
    RequireTypeOf(query, scale + 1, *owner);
  }
}

// Type of the result of QLinearMatMul and QLinearConv: that of y_zero_point; float32 where neither
// scale nor zero point is there.
DType LinearResult(const ShapeQuery& query) {
  const bool scale = Operand(query, 6) != nullptr;
  const bool zero = Operand(query, 7) != nullptr;
  if (scale != zero) {
    ThrowModel("expected y_scale and y_zero_point, or neither for a float32 result, got one");
  }
  RequireByte(query, 7);
  RequireOneOr(query, 6, 1);
  RequireOneOr(query, 7, 1);
  return zero ? query.inputs[7]->dtype : DType::kFloat32;
}

// Residual operand behind the bias (src/ir/fused_operands.h): of the shape of the result. Beside
// quantised results it is quantised, with scale and zero point.
void RequireLinearResidual(const ShapeQuery& query, const TensorType& y) {
  const TensorType* residual = Operand(query, kLinearResidualOperand);
  if (residual == nullptr) {
    return;
  }
  const bool quantised = y.dtype != DType::kFloat32;
  if (residual->shape != y.shape || kByteDTypes.Has(residual->dtype) != quantised) {
    ThrowModel(fmt::format("input {}: expected a residual of {} of shape {}, got {}",
                           kLinearResidualOperand, quantised ? "int8 or uint8" : "float32",
                           y.shape.ToString(), residual->ToString()));
  }
  if (quantised) {
    RequireOneScale(query, kLinearResidualOperand + 1, kLinearResidualOperand);
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
  RequireByte(query, 0);
  RequireByte(query, 3);
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 5, 3);
  for (const std::size_t i : {1, 2}) {
    RequirePerLine(query, i, 0, -2);
  }
  for (const std::size_t i : {4, 5}) {
    RequirePerLine(query, i, 3, -1);
  }
  auto types = WithDType(FloatRule(MatMulShape, query, 0, 3, kNone), LinearResult(query));
  // A bias is what passes make (src/passes/fuse/fuse_quantized.h).
  if (const TensorType* bias = Operand(query, 8);
      bias != nullptr && bias->shape != Shape{query.inputs[3]->shape.dims().back()}) {
    ThrowModel(fmt::format("input 8: expected a bias of {} values, got {}",
                           query.inputs[3]->shape.dims().back(), bias->ToString()));
  }
  RequireLinearResidual(query, types[0]);
  return types;
}

std::vector<TensorType> QLinearConvShape(const ShapeQuery& query) {
  RequireByte(query, 0);
  RequireByte(query, 3);
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 5, 3);
  auto types = WithDType(FloatRule(ConvShape, query, 0, 3, 8), LinearResult(query));
  for (const std::size_t i : {1, 2}) {
    RequireOneOr(query, i, 1);
  }
  for (const std::size_t i : {4, 5}) {
    RequireOneOr(query, i, query.inputs[3]->shape[0]);
  }
  RequireLinearResidual(query, types[0]);
  return types;
}

std::vector<TensorType> QLinearConvTransposeShape(const ShapeQuery& query) {
  RequireByte(query, 0);
  RequireByte(query, 3);
  RequireTypeOf(query, 2, 0);
  RequireTypeOf(query, 5, 3);
  auto types = WithDType(FloatRule(ConvTransposeShape, query, 0, 3, 8), LinearResult(query));
  const std::int64_t channels = types[0].shape[1];
  for (const std::size_t i : {1, 2}) {
    RequireOneOr(query, i, 1);
  }
  for (const std::size_t i : {4, 5}) {
    RequireOneOr(query, i, channels);
  }
  return types;
}

std::vector<TensorType> QLinearBroadcastShape(const ShapeQuery& query) {
  RequireOneScale(query, 1, 0);
  RequireOneScale(query, 4, 3);
  RequireOneScale(query, 6);
  return {
      {query.inputs[7]->dtype, BroadcastShapes(query.inputs[0]->shape, query.inputs[3]->shape)}};
}

std::vector<TensorType> QLinearConcatShape(const ShapeQuery& query) {
  const std::size_t count = query.inputs.size();
  if (count < 5 || count % 3 != 2) {
    ThrowModel(
        fmt::format("expected y_scale, y_zero_point, and a tensor, scale and zero point for "
                    "each part, got {} inputs",
                    count));
  }
  RequireOneScale(query, 0);
  ShapeQuery parts{.attributes = query.attributes};
  std::vector<TensorType> types;  // of one dtype: parts may mix int8 and uint8
  types.reserve(count / 3);
  for (std::size_t i = 2; i < count; i += 3) {
    RequireOneScale(query, i + 1, i);
    types.push_back({query.inputs[1]->dtype, query.inputs[i]->shape});
    parts.inputs.push_back(&types.back());
    parts.constants.push_back(nullptr);
  }
  return ConcatShape(parts);
}

std::vector<TensorType> QLinearAveragePoolShape(const ShapeQuery& query) {
  RequireOneScale(query, 1, 0);
  RequireOneScale(query, 3);
  return WithDType(PoolShape(query), query.inputs[4]->dtype);
}

std::vector<TensorType> QLinearGlobalAveragePoolShape(const ShapeQuery& query) {
  RequireOneScale(query, 1, 0);
  RequireOneScale(query, 3);
  return WithDType(GlobalPoolShape(query), query.inputs[4]->dtype);
}

std::vector<TensorType> QLinearResizeShape(const ShapeQuery& query) {
  RequireOneScale(query, 1, 0);
  RequireOneScale(query, 3);
  ShapeQuery plain{.attributes = query.attributes};
  plain.inputs = {query.inputs.at(0)};
  plain.constants = {nullptr};
  for (std::size_t i = 5; i < query.inputs.size(); ++i) {
    plain.inputs.push_back(query.inputs[i]);
    plain.constants.push_back(query.constants.at(i));
  }
  return WithDType(ResizeShape(plain), query.inputs[4]->dtype);
}

std::vector<TensorType> QLinearLookupShape(const ShapeQuery& query) {
  RequireByte(query, 0);
  RequireByte(query, 1);
  const Shape& x = query.inputs.at(0)->shape;
  const Shape& tables = query.inputs.at(1)->shape;
  const std::int64_t stated = query.attributes.Int("axis", 1);
  const std::int64_t axis = stated < 0 ? stated + x.rank() : stated;
  const bool of_channels = tables.rank() == 2 && axis >= 0 && axis < x.rank() &&
                           tables == Shape{x[static_cast<int>(axis)], 256};
  if (tables != Shape{256} && !of_channels) {
    ThrowModel(
        fmt::format("input 1: expected a table of 256 values, or one for each index of axis "
                    "{} of {}, got {}",
                    stated, x.ToString(), query.inputs[1]->ToString()));
  }
  return {{query.inputs[1]->dtype, query.inputs[0]->shape}};
}

std::vector<TensorType> DynamicMatMulShape(const ShapeQuery& query) {
  const TensorType& a = *query.inputs.at(0);
  const TensorType& b = *query.inputs.at(1);
  if (a.dtype != DType::kFloat32 || a.shape.rank() < 2) {
    ThrowModel(fmt::format("input 0: expected float32 of rank 2 or more, got {}", a.ToString()));
  }
  if (b.dtype != DType::kInt8 || b.shape.rank() != 2) {
    ThrowModel(fmt::format("input 1: expected a matrix of int8, got {}", b.ToString()));
  }
  auto types = WithDType(FloatRule(MatMulShape, query, 0, 1, kNone), DType::kFloat32);
  for (const std::size_t i : {2, 3}) {  // scales of columns, bias
    const TensorType* type = Operand(query, i);
    if (i == 2 || type != nullptr) {
      if (type == nullptr || *type != TensorType{DType::kFloat32, Shape{b.shape[1]}}) {
        ThrowModel(fmt::format("input {}: expected {} numbers of float32, got {}", i, b.shape[1],
                               type == nullptr ? "none" : type->ToString()));
      }
    }
  }
  const TensorType* residual = Operand(query, kDynamicResidualOperand);
  if (residual != nullptr && *residual != types[0]) {
    ThrowModel(fmt::format("input {}: expected a residual of {}, got {}", kDynamicResidualOperand,
                           types[0].ToString(), residual->ToString()));
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
