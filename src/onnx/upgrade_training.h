// Upgrades of operators that behave differently in training: Dropout, BatchNormalization.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Copies the input in inference, and in training that drops nothing; then the mask is true, before
// opset 10 in the type of the data. Error kUnsupported: training that drops elements, a mask of
// more than 2^28 elements.
void UpgradeDropout(FileNode& node, GraphBuilder& builder);

// In training mode mean and variance are those of the batch, which nodes in front compute. Error
// kUnsupported: outputs behind the first, statistics per element.
void UpgradeBatchNormalization(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
