#include "search/space/mode_format.h"

#include <algorithm>

#include "src/precision/resolve/modes.h"

namespace halftone {
namespace {

std::optional<NumericFormat> FormatOf(const PrecisionMode& mode) {
  if (mode.to_float16 != Lowering::kNever) {
    return DType::kFloat16;
  }
  if (mode.to_bfloat16 != Lowering::kNever) {
    return DType::kBFloat16;
  }
  return std::nullopt;
}

}  // namespace

std::optional<NumericFormat> FormatOfMode(std::string_view precision_mode) {
  const PrecisionMode* mode = FindPrecisionMode(precision_mode);
  return mode != nullptr ? FormatOf(*mode) : std::nullopt;
}

bool HasModeOf(NumericFormat format, std::span<const std::string> precision_modes) {
  return std::ranges::any_of(precision_modes,
                             [&](const std::string& mode) { return FormatOfMode(mode) == format; });
}

std::vector<NumericFormat> FormatsToSearch(const TargetSpec& target,
                                           std::span<const std::string> precision_modes) {
  const std::vector<NumericFormat> of_modes = FormatsOfModes();
  std::vector<NumericFormat> formats;
  for (const NumericFormat format : target.formats) {
    const bool needs_mode = std::ranges::find(of_modes, format) != of_modes.end();
    if (format != DType::kFloat32 && (!needs_mode || HasModeOf(format, precision_modes))) {
      formats.push_back(format);
    }
  }
  return formats;
}

std::vector<NumericFormat> FormatsOfModes() {
  std::vector<NumericFormat> formats;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    const auto format = FormatOf(mode);
    if (format && std::ranges::find(formats, *format) == formats.end()) {
      formats.push_back(*format);
    }
  }
  std::ranges::sort(formats);
  return formats;
}

}  // namespace halftone
