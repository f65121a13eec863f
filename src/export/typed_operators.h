// Table of the first opsets in which operators take and make 16-bit tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

// The first opset of ai.onnx whose `op_type` takes tensors of `low`, float16 or bfloat16, as its
// main operands. Empty if no opset up to 28 does. Source: the type constraints in Changelog.md and
// Operators.md of onnx/onnx.
std::optional<std::int64_t> FirstOpsetOf(std::string_view op_type, DType low);

// True if operand `input` of `op_type` has a type of its own at this opset, independent of that of
// the main operands.
bool HasOwnType(std::string_view op_type, std::int64_t opset, std::size_t input);

}  // namespace halftone
