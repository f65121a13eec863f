// Rules for names and texts of a fleet. Names of kinds and networks become folders of results, so
// names in the files of a shared folder are checked like those of FLEET.yaml.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace halftone {

// Text of what is expected where `name` is no name of a kind or a network; empty: it is one.
std::string WhyNoFleetName(std::string_view name);

// Text of what is expected where `name` is no name of an option of a command; empty: it is one.
std::string WhyNoOptionName(std::string_view name);

// Text of what is expected where `text` is no text of a fleet, which becomes a path or a word of a
// command; empty: it is one.
std::string WhyNoFleetText(std::string_view text);

// Error kUsage naming `where`: a text in `json`, at any depth, that WhyNoFleetText() refuses.
void CheckFleetTexts(const nlohmann::json& json, std::string_view where);

}  // namespace halftone
