// Rules for names and texts of a fleet. Names of kinds and networks become names of folders, so
// names in the files of the shared folder are checked as strictly as those in FLEET.yaml.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace halftone {

// Clause that says what is expected of a name of a kind or network; empty: `name` is valid.
std::string WhyNoFleetName(std::string_view name);

// Clause that says what is expected of an option name; empty: `name` is valid.
std::string WhyNoOptionName(std::string_view name);

// Clause that says what is expected of a text that becomes a path or a word of a command; empty:
// `text` is valid.
std::string WhyNoFleetText(std::string_view text);

// Error kUsage, naming `where`, if `json` has a text at any depth that WhyNoFleetText() refuses.
void CheckFleetTexts(const nlohmann::json& json, std::string_view where);

}  // namespace halftone
