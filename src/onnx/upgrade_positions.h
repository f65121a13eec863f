// Upgrades of AffineGrid and Unique.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// AffineGrid becomes a Reshape of a MatMul: the constant grid of all pixels times the transposed
// matrices.
void UpgradeAffineGrid(FileNode& node, GraphBuilder& builder);

// Unique becomes a Gather of the first of each group of equal elements or slices. A helper node
// <name>/1 of type Unique finds their indices and the other results.
void UpgradeUnique(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
