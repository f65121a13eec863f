// Number formats that precision modes lower to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/numeric_format.h"
#include "src/target/target_spec.h"

namespace halftone {

// The format that a mode lowers to, by the table of modes. Empty for a mode that lowers nothing and
// for a value of --precision_mode that is not in the table.
std::optional<NumericFormat> FormatOfMode(std::string_view precision_mode);

// True if one of the modes lowers to `format`.
bool HasModeOf(NumericFormat format, std::span<const std::string> precision_modes);

// Formats of the target, other than float32, that a search with these modes tries: formats that one
// of these modes lowers to, and formats that no precision mode at all lowers to. They are in the
// order of the target.
std::vector<NumericFormat> FormatsToSearch(const TargetSpec& target,
                                           std::span<const std::string> precision_modes);

// Every format that some mode lowers to, in ascending order, each once.
std::vector<NumericFormat> FormatsOfModes();

}  // namespace halftone
