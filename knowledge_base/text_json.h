// JSON of texts with any bytes. JSON itself holds UTF-8 only, and names in a model, names of files
// and command lines may have other bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halftone {

// The text as a JSON string if it is UTF-8, else {"hex":"..."} with two digits for each byte.
nlohmann::json TextToJson(const std::string& text);
nlohmann::json TextsToJson(const std::vector<std::string>& texts);

// The inverse. Error kDatabase for invalid hexadecimal digits; other JSON throws
// nlohmann::json::exception.
std::string TextFromJson(const nlohmann::json& value);
std::vector<std::string> TextsFromJson(const nlohmann::json& values);

}  // namespace halftone
