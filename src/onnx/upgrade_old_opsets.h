// Upgrades from opsets below 7: attributes for the reuse of memory, broadcasting by attribute.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// Does nothing from opset 7 on. Error kUnsupported/kModel for forms that have no newer equivalent.
void UpgradeOldOpset(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
