// JSON of texts with any bytes, since JSON has UTF-8 only: names in a model, of files, command
// lines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halftone {

// The text as a JSON string; {"hex": "..."} where it is not UTF-8.
nlohmann::json TextToJson(const std::string& text);
nlohmann::json TextsToJson(const std::vector<std::string>& texts);

// The inverse. Error kDatabase for invalid digits; nlohmann's for other JSON.
std::string TextFromJson(const nlohmann::json& value);
std::vector<std::string> TextsFromJson(const nlohmann::json& values);

}  // namespace halftone
