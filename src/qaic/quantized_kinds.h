// ONNX kinds that are computed in integers in a quantized network.
//
// The compiler's own list is not public. This list has the kinds for which the interpreter of Glow,
// whose quantization the compiler inherits, has 8-bit kernels or 256-entry tables, and the kinds
// that amount to its reshapes and slices.
#pragma once

#include <cstdint>
#include <string_view>

namespace halftone {

enum class QuantizedRule : std::uint8_t {
  kNone,            // stays in its original precision
  kOwnParameters,   // the result has a scale of its own
  kSameParameters,  // the result reuses the scale of the first operand
};

QuantizedRule QuantizedRuleOf(std::string_view onnx_kind);

}  // namespace halftone
