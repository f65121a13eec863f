// What names and texts of a fleet may be. Names of kinds and networks become folders of results, so
// those that a shared folder's files hold are judged like those of FLEET.yaml.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace halftone {

// What is expected of the name of a kind or a network; empty: it is one.
std::string WhyNoFleetName(std::string_view name);

// What is expected of the name of an option of a command; empty: it is one.
std::string WhyNoOptionName(std::string_view name);

// What is expected of any text of a fleet, which becomes a path or a word of a command; empty:
// it is one.
std::string WhyNoFleetText(std::string_view text);

// Error kUsage naming `where`: a text in `json`, at any depth, that WhyNoFleetText() refuses.
void CheckFleetTexts(const nlohmann::json& json, std::string_view where);

}  // namespace halftone
