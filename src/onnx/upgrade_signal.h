// Upgrades of DFT, STFT and windows to constants and products with them.
#pragma once

#include "src/onnx/file_node.h"

namespace halftone {

// DFT becomes a MatMul with the constant matrix of the transform, in the dtype of the operand.
// Transposes bring the axis to the end and back.
void UpgradeDft(FileNode& node, GraphBuilder& builder);

// STFT becomes a Gather of the frames and a MatMul. A constant window is part of the matrix.
void UpgradeStft(FileNode& node, GraphBuilder& builder);

// HannWindow, HammingWindow and BlackmanWindow become a constant.
void UpgradeWindow(FileNode& node, GraphBuilder& builder);

}  // namespace halftone
