#include "kernels/quantized/operands.h"

#include "kernels/quantized/byte_epilogue.h"
#include "src/ir/fused_operands.h"
#include "src/ir/layout.h"

namespace halftone {

OperandPlaces PlacesOf(OpKind op) {
  if (IsIntegerResult(op)) {
    return {};
  }
  return {.a = 0,
          .b = 3,
          .a_zero = 2,
          .b_zero = 5,
          .a_scale = 1,
          .b_scale = 4,
          .y_scale = 6,
          .y_zero = 7,
          .bias = kLinearBiasOperand,
          .residual = kLinearResidualOperand,
          .residual_scale = kLinearResidualOperand + 1,
          .residual_zero = kLinearResidualOperand + 2};
}

MatrixCall QuantizedMatrixCall(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  const TensorType a{DType::kUInt8, query.Input(places.a)->shape};
  const TensorType b{DType::kUInt8, query.Input(places.b)->shape};
  const Fusion fusion{.b_perm = query.fusion->b_perm};
  KernelQuery plain{.op = OpKind::kMatMul, .attributes = query.attributes, .fusion = &fusion};
  plain.inputs = {&a, &b};
  plain.outputs = query.outputs;
  return MatrixCallOf(plain);
}

ConvCall QuantizedConvCall(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  const TensorType x{DType::kUInt8, query.Input(places.a)->shape};
  const TensorType w{DType::kUInt8, query.Input(places.b)->shape};
  KernelQuery plain{.op = OpKind::kConv, .attributes = query.attributes, .layout = query.layout};
  plain.inputs = {&x, &w};
  plain.outputs = query.outputs;
  ConvCall call = ConvCallOf(plain);
  call.has_bias = query.Input(places.bias) != nullptr;
  return call;
}

ConvTransposeCall QuantizedConvTransposeCall(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  const Shape& shape = query.Input(places.a)->shape;
  const TensorType x{DType::kUInt8, query.layout.channels_last ? ChannelsFirstOf(shape) : shape};
  const TensorType w{DType::kUInt8, query.Input(places.b)->shape};
  KernelQuery plain{.op = OpKind::kConvTranspose, .attributes = query.attributes};
  plain.inputs = {&x, &w};
  plain.outputs = query.outputs;
  ConvTransposeCall call = ConvTransposeCallOf(plain);
  call.has_bias = query.Input(places.bias) != nullptr;
  return call;
}

std::int64_t ElementsOf(const KernelQuery& query, std::size_t operand) {
  const TensorType* type = query.Input(operand);
  return type == nullptr ? 0 : type->shape.ElementCount();
}

std::string_view RefusalOfScales(const KernelQuery& query, std::int64_t n) {
  const OperandPlaces places = PlacesOf(query.op);
  if (const std::string_view reason = RefusalOfEpilogue(query); !reason.empty()) {
    return reason;
  }
  for (const std::size_t operand : {places.a_scale, places.b_scale, places.y_scale}) {
    if (query.Input(operand) != nullptr && query.Input(operand)->dtype != DType::kFloat32) {
      return "scales are not float32";
    }
  }
  for (const std::size_t operand : {places.a_zero, places.a_scale}) {
    if (ElementsOf(query, operand) > 1) {
      return "the zero point or scale of A differs between rows";
    }
  }
  for (const std::size_t operand : {places.b_zero, places.b_scale}) {
    const std::int64_t count = ElementsOf(query, operand);
    if (count > 1 && count != n) {
      return "the zero point or scale of B differs between batches";
    }
  }
  return "";
}

std::int32_t ZeroPointAt(DType dtype, const void* data) {
  return data == nullptr ? 0 : static_cast<std::int32_t>(IntegerAt(dtype, data, 0));
}

}  // namespace halftone
