// Scalars of a settings file by Python's rules.
#pragma once

#include <optional>

#include "src/training/settings_tree.h"

namespace halftone {

// True if it is empty, ~, null or None.
bool IsNull(const SettingsNode& node);

// The value of true, True, false, False; empty for anything else, including quoted text.
std::optional<bool> BooleanOf(const SettingsNode& node);

// The value of a finite number; empty for anything else, including quoted text.
std::optional<double> NumberOf(const SettingsNode& node);

}  // namespace halftone
