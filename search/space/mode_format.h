// The number format that a precision mode lowers to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/numeric_format.h"
#include "src/target/target_spec.h"

namespace halftone {

// The format from the table of modes; empty for modes that lower nothing and for values of
// --precision_mode that are not in the table.
std::optional<NumericFormat> FormatOfMode(std::string_view precision_mode);

// True if one of the modes lowers to `format`.
bool HasModeOf(NumericFormat format, std::span<const std::string> precision_modes);

// Formats of the target, other than float32, that a search with these modes tries: those that one
// of the modes lowers to, and those that no mode of any kind lowers to. In the order of the target.
std::vector<NumericFormat> FormatsToSearch(const TargetSpec& target,
                                           std::span<const std::string> precision_modes);

// Every format that some mode lowers to, in ascending order, each once.
std::vector<NumericFormat> FormatsOfModes();

}  // namespace halftone
