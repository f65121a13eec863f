// Tree of the settings of a training script: a small YAML or JSON document
// (src/base/strict_yaml.h).
#pragma once

#include <string_view>

#include "src/base/strict_yaml.h"

namespace halftone {

using SettingsNode = YamlNode;
using SettingsMember = YamlMember;

inline constexpr std::size_t kMostSettingsBytes = 64U << 10U;
inline constexpr int kMostSettingsLevels = 16;

// Parses the document of the file named `where`. None is null, as in Python. Errors as
// ParseStrictYaml() with the limits above.
SettingsNode ParseSettings(std::string_view text, std::string_view where);

}  // namespace halftone
