// Scalars of a settings file as Python would read them.
#pragma once

#include <optional>

#include "src/training/settings_tree.h"

namespace halftone {

// Nothing, ~, null or None.
bool IsNull(const SettingsNode& node);

// true, True, false, False; empty for anything else, quoted texts included.
std::optional<bool> BooleanOf(const SettingsNode& node);

// A finite number; empty for anything else, quoted texts included.
std::optional<double> NumberOf(const SettingsNode& node);

}  // namespace halftone
