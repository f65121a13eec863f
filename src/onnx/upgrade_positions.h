// Operators about positions that are made of others: AffineGrid, Unique.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// A MatMul of the constant grid of all pixels with the transposed matrices.
void UpgradeAffineGrid(FileNode& node, GraphBuilder& builder);

// A Gather by the places of the first of equal elements or slices, which node <name>/1, also of
// type Unique, finds together with the other results.
void UpgradeUnique(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
