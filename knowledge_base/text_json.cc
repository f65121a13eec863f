#include "knowledge_base/text_json.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {

using nlohmann::json;

namespace {

bool IsUtf8(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

}  // namespace

json TextToJson(const std::string& text) {
  if (IsUtf8(text)) {
    return text;
  }
  std::string digits;
  for (const char c : text) {
    digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return {{"hex", digits}};
}

std::string TextFromJson(const json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  const auto digits = value.at("hex").get<std::string>();
  if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw Error(ErrorKind::kDatabase, fmt::format("'{}' is not hexadecimal", digits));
  }
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return text;
}

json TextsToJson(const std::vector<std::string>& texts) {
  json array = json::array();
  for (const std::string& text : texts) {
    array.push_back(TextToJson(text));
  }
  return array;
}

std::vector<std::string> TextsFromJson(const json& values) {
  std::vector<std::string> texts;
  for (const json& value : values.get<std::vector<json>>()) {
    texts.push_back(TextFromJson(value));
  }
  return texts;
}

}  // namespace halftone
