#include "src/onnx/upgrade_quantized.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/onnx/file_node.h"

namespace halftone {
namespace {

// Divisions are done in float32, whatever type the scale has (kernels/quantized/linear.h).
void DropDivisionPrecision(FileNode& node) {
  const std::int64_t precision = node.attributes.Int("precision", 0);
  if (precision != 0 && precision != RowOf(DType::kFloat32).onnx_type) {
    ThrowUnsupported(
        "attribute 'precision': divisions in other types than float32 are not supported");
  }
  node.attributes.Erase("precision");
}

// Takes attribute 'output_dtype' away; `fallback` where it is not given.
DType TakeOutputDType(FileNode& node, DTypeSet known, std::string_view expected, DType fallback) {
  const std::int64_t number = node.attributes.Int("output_dtype", 0);
  node.attributes.Erase("output_dtype");
  if (number == 0) {
    return fallback;
  }
  const auto dtype = DTypeFromOnnx(static_cast<int>(number));
  if (!dtype || !known.Has(*dtype)) {
    ThrowUnsupported(
        fmt::format("attribute 'output_dtype': expected {}, got TensorProto type {}{}", expected,
                    number, dtype ? "" : ": 8-bit floating and 4-bit types are not supported"));
  }
  return *dtype;
}

}  // namespace

void RequireLinearOperands(FileNode& node, GraphBuilder& /*builder*/) {
  const std::size_t most = node.type == "QLinearConv" ? 9 : 8;
  if (node.inputs.size() > most) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected {} inputs, got {}", most, node.inputs.size()));
  }
  for (const std::size_t i : {6, 7}) {
    if (InputOr(node, i) == kNoValue) {
      throw Error(ErrorKind::kModel, fmt::format("input {} is missing", i));
    }
  }
}

void UpgradeQuantizeLinear(FileNode& node, GraphBuilder& builder) {
  node.attributes.Erase("saturate");  // concerns 8-bit floating types
  DropDivisionPrecision(node);
  const ValueId zero = InputOr(node, 2);
  const DType made = zero != kNoValue ? builder.graph.value(zero).type.dtype : DType::kUInt8;
  const DType dtype = TakeOutputDType(node, kQuantizedDTypes, "int8, uint8, int16 or uint16", made);
  if (zero != kNoValue && dtype != made) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'output_dtype' is {}, the zero point {}",
                                               NameOf(dtype), NameOf(made)));
  }
  if (zero == kNoValue && InputOr(node, 1) != kNoValue) {
    node.inputs.resize(3, kNoValue);
    node.inputs[2] = builder.AddHelperConstant(
        Tensor(dtype, builder.graph.value(node.inputs[1]).type.shape), node.name + "/zero_point");
  }
  const ValueId x = InputOr(node, 0);
  if (x != kNoValue && builder.graph.value(x).type.dtype == DType::kInt32) {
    Node cast = HelperNode(node, builder, OpKind::kCast, 1);
    cast.attributes.Set("to", std::int64_t{RowOf(DType::kFloat32).onnx_type});
    cast.inputs = {x};
    node.inputs[0] = builder.AddHelperNode(std::move(cast));
  }
}

// The result is computed in float32; another type is a Cast behind it.
void UpgradeDequantizeLinear(FileNode& node, GraphBuilder& builder) {
  const ValueId scale = InputOr(node, 1);
  const DType made = scale != kNoValue ? builder.graph.value(scale).type.dtype : DType::kFloat32;
  const DType dtype = TakeOutputDType(node, kTunableDTypes, "float32, float16 or bfloat16", made);
  if (dtype == DType::kFloat32) {
    return;
  }
  Node helper = HelperNode(node, builder, OpKind::kDequantizeLinear, 1);
  helper.attributes = node.attributes;
  helper.inputs = node.inputs;
  node.inputs = {builder.AddHelperNode(std::move(helper))};
  node.attributes = {};
  node.attributes.Set("to", std::int64_t{RowOf(dtype).onnx_type});
  node.type = "Cast";
}

}  // namespace halftone
