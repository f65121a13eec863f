// Upgrades of operators that behave differently in training: Dropout, BatchNormalization.
#pragma once

#include "src/onnx/graph_builder.h"
#include "src/onnx/upgrade.h"

namespace halftone {

// Dropout becomes an Identity. Its mask, if used, is true everywhere: a bool, or before opset 10 of
// the type of the data. Error kUnsupported: training mode with a ratio other than 0, or a mask of
// more than 2^28 elements.
void UpgradeDropout(FileNode& node, GraphBuilder& builder);

// Removes the attributes of training. In training mode, helper nodes compute the mean and variance
// of the batch, which replace the operands. Error kUnsupported: outputs behind the first are used,
// or statistics per element.
void UpgradeBatchNormalization(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
