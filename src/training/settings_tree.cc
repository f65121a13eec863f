#include "src/training/settings_tree.h"

namespace halftone {

SettingsNode ParseSettings(std::string_view text, std::string_view where) {
  return ParseStrictYaml(text, where,
                         {.what = "settings in YAML or JSON",
                          .noun = "settings",
                          .syntax = "YAML or JSON",
                          .also_null = "None",
                          .most_bytes = kMostSettingsBytes,
                          .most_levels = kMostSettingsLevels});
}

}  // namespace halftone
