// Values of the scalars of a settings file, by Python's rules.
#pragma once

#include <optional>

#include "src/training/settings_tree.h"

namespace halftone {

// True for a null of ParseSettings(), which turns ~, null, None and a missing value into an empty
// scalar without quotes.
bool IsNull(const SettingsNode& node);

// The value of true, True, false or False; empty for every other node, including quoted text.
std::optional<bool> BooleanOf(const SettingsNode& node);

// The value of a finite number; empty for every other node, including quoted text.
std::optional<double> NumberOf(const SettingsNode& node);

}  // namespace halftone
