// Upgrades of GlobalLpPool and MaxUnpool.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// GlobalLpPool becomes an LpPool with the whole image as its window.
void UpgradeGlobalLpPool(FileNode& node, GraphBuilder& builder);

// MaxUnpool becomes a Reshape of a ScatterElements into zeros. Indices count elements of the
// flattened result, as the indices of MaxPool count those of its operand. Error kUnsupported:
// output_shape is not what window, strides and padding give.
void UpgradeMaxUnpool(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
