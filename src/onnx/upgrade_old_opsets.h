// Upgrades from opsets below 7: attributes for memory reuse, and broadcasting by attribute.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// Upgrades a node of an opset below 7; changes no other. Errors kUnsupported, kModel: the node has
// no newer equivalent.
void UpgradeOldOpset(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
