#include "search/low_dtype.h"

#include "src/precision/modes.h"

namespace halftone {

std::optional<DType> LowDTypeOf(std::string_view precision_mode) {
  const PrecisionMode* mode = FindPrecisionMode(precision_mode);
  if (mode == nullptr) {
    return std::nullopt;
  }
  if (mode->to_float16 != Lowering::kNever) {
    return DType::kFloat16;
  }
  if (mode->to_bfloat16 != Lowering::kNever) {
    return DType::kBFloat16;
  }
  return std::nullopt;
}

bool HasModeOf(DType dtype, std::span<const std::string> precision_modes) {
  return std::ranges::any_of(precision_modes,
                             [&](const std::string& mode) { return LowDTypeOf(mode) == dtype; });
}

}  // namespace halftone
