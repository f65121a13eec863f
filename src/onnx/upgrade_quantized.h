// Upgrades of QuantizeLinear and DequantizeLinear to halftone's one form: quotients, products and
// scales in float32, types by zero points.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Error kModel for operands that only passes and lowering add to QLinearMatMul and QLinearConv, and
// for a missing y_scale or y_zero_point, which only they may leave out
// (kernels/quantized/quantized.h).
void RequireLinearOperands(FileNode& node, GraphBuilder& builder);

// Adds the zero point where it is left out, so that it carries the type (output_dtype, else uint8).
// An int32 input gets a Cast before it.
void UpgradeQuantizeLinear(FileNode& node, GraphBuilder& builder);

// A result in another type than float32 (output_dtype, else the type of the scale) becomes a Cast
// behind the node.
void UpgradeDequantizeLinear(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
