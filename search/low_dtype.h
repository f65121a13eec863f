// The types below float32 that operators may compute in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

// A type that modes lower to is a row here, and what probes see of it has its index.
inline constexpr DType kLowDTypes[] = {DType::kFloat16, DType::kBFloat16};
inline constexpr std::size_t kLowDTypeCount = std::size(kLowDTypes);

constexpr bool IsLow(DType dtype) {
  return std::ranges::find(kLowDTypes, dtype) != std::end(kLowDTypes);
}

// Of one that IsLow().
constexpr std::size_t LowIndexOf(DType dtype) {
  return static_cast<std::size_t>(std::ranges::find(kLowDTypes, dtype) - std::begin(kLowDTypes));
}

// By the table of modes; empty for modes that lower nothing and for values of --precision_mode that
// the table does not have.
std::optional<DType> LowDTypeOf(std::string_view precision_mode);

// Whether one of the modes lowers to it.
bool HasModeOf(DType dtype, std::span<const std::string> precision_modes);

}  // namespace halftone
