// What opsets below 7 wrote in another way: attributes for the reuse of memory, broadcasting that
// had to be asked for.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// Does nothing from opset 7 on. Error kUnsupported/kModel for forms that have no newer equivalent.
void UpgradeOldOpset(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
