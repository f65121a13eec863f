// Upgrades of AffineGrid and Unique.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// Becomes a MatMul of the constant grid of all pixels with the transposed matrices.
void UpgradeAffineGrid(FileNode& node, GraphBuilder& builder);

// Becomes a Gather at the first of equal elements or slices, whose indices node <name>/1, also of
// type Unique, finds together with the other results.
void UpgradeUnique(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
