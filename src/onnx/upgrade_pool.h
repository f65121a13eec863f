// Upgrades of pools: GlobalLpPool is an LpPool over all pixels, MaxUnpool writes elements to their
// positions.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Becomes an LpPool with the whole image as window.
void UpgradeGlobalLpPool(FileNode& node, GraphBuilder& builder);

// Becomes a Reshape of a ScatterElements into zeros: indices count in the flattened result, as
// those of MaxPool do in its operand. Error kUnsupported for an output_shape other than what
// window, strides and padding give.
void UpgradeMaxUnpool(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
