// Parser of Einsum equations: "bij, bjk -> bik".
#pragma once

#include <string_view>
#include <vector>

#include "src/ir/shape.h"

namespace halftone {

// Labels are numbered by the order of their first appearance; the axes that an ellipsis stands for
// have labels of their own, aligned at the end as in broadcasting.
struct EinsumEquation {
  std::vector<std::vector<int>> inputs;  // per operand, per axis: the label
  std::vector<int> output;
  std::vector<std::int64_t> extents;  // per label
};

// Parses `equation` for operands of these shapes. Without "->" the output has the axes of the
// ellipsis, then the labels that appear once, in alphabetical order. Error kModel where equation
// and shapes do not fit.
EinsumEquation ParseEinsum(std::string_view equation, const std::vector<Shape>& shapes);

}  // namespace halftone
