// ONNX kinds that become 8-bit integers where a network is quantized.
//
// The compiler's own list is not public. This one is ours: the kinds for which the interpreter of
// Glow, whose quantization the compiler inherits, has 8-bit kernels or 256-entry tables.
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
