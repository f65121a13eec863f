// QuantizeLinear and DequantizeLinear in the one form that halftone has: quotients, products and
// scales in float32, types by zero points.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Of QLinearMatMul: its ninth operand is what passes make (src/passes/fuse_quantized.h).
void RequireNoBias(FileNode& node, GraphBuilder& builder);

// Writes the zero point out where it is left out, so that it says the type (output_dtype, else
// uint8). An int32 input gets a Cast before it.
void UpgradeQuantizeLinear(FileNode& node, GraphBuilder& builder);

// A result in another type than float32 (output_dtype, else the type of the scale) becomes a Cast
// behind the node.
void UpgradeDequantizeLinear(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
