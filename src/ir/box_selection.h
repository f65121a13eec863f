// Non-maximum suppression: which boxes NonMaxSuppression keeps. The shape of its result depends on
// that, so shape rule and kernel share it.
#pragma once

#include <array>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

// Image, class, box.
using SelectedBox = std::array<std::int64_t, 3>;

// `operands` as ONNX has them: boxes [images, n, 4], scores [images, classes, n], and, null where
// left out, the most boxes of a class, the threshold of intersection over union, that of scores.
// Boxes are corners (y1, x1, y2, x2) in any order, or with `centered` (x, y, width, height).
// Comparisons in float32, as the operands are; equal scores: the box that stands first.
std::vector<SelectedBox> SelectBoxes(const std::vector<const Tensor*>& operands, bool centered);

}  // namespace halftone
