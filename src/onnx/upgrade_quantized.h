// Upgrades of operators on quantised data. In a graph, quotients, products and scales of
// QuantizeLinear and DequantizeLinear are float32, and zero points give the integer types.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Checks the operands of QLinearMatMul and QLinearConv. Error kModel: more operands than ONNX has,
// or no y_scale or y_zero_point. Only passes and lowering add operands or leave these two out
// (kernels/quantized/quantized.h).
void RequireLinearOperands(FileNode& node, GraphBuilder& builder);

// Adds a missing zero point of QuantizeLinear, with the type of output_dtype, or else uint8. An
// int32 operand gets a Cast to float32. Errors: kUnsupported for other types of results or
// divisions; kModel if output_dtype and zero point disagree.
void UpgradeQuantizeLinear(FileNode& node, GraphBuilder& builder);

// DequantizeLinear with another result than float32 (by output_dtype, or else the type of the
// scale) becomes a Cast of a DequantizeLinear with a float32 result. Error kUnsupported: another
// output_dtype than float32, float16 or bfloat16.
void UpgradeDequantizeLinear(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
