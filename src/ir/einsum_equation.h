// Parser of Einsum equations: "bij, bjk -> bik".
#pragma once

#include <string_view>
#include <vector>

#include "src/ir/shape.h"

namespace halftone {

// A parsed equation. A label is the number of a letter, in the order of first appearance. Axes
// behind an ellipsis have labels of their own, and are aligned at their end as in broadcasting.
struct EinsumEquation {
  std::vector<std::vector<int>> inputs;  // inputs[operand][axis]: label
  std::vector<int> output;               // output[axis]: label
  std::vector<std::int64_t> extents;     // extents[label]
};

// Parses `equation` for operands of these shapes. Without "->", the output has the axes of the
// ellipsis, then the letters that appear once, in alphabetical order. Error kModel: a syntax error,
// or shapes that do not fit the equation.
EinsumEquation ParseEinsum(std::string_view equation, const std::vector<Shape>& shapes);

}  // namespace halftone
