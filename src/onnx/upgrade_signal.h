// Signal processing as constants and products with them: DFT, STFT, windows.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// A MatMul with the constant matrix of the transform, in the dtype of the operand; the axis is
// brought to the end and back by a Transpose.
void UpgradeDft(FileNode& node, GraphBuilder& builder);

// A Gather of the frames and a MatMul; a constant window is part of the matrix.
void UpgradeStft(FileNode& node, GraphBuilder& builder);

// HannWindow, HammingWindow, BlackmanWindow: a constant.
void UpgradeWindow(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
