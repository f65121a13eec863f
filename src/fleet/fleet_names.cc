#include "src/fleet/fleet_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Longest name: with a number or ".<16 digits>.part" behind it, it must fit into the 255 bytes of a
// file's name.
constexpr std::size_t kMostBytesOfName = 120;
constexpr std::size_t kMostBytesOfOption = 64;  // three times the longest of `tune`

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool HasOnly(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return IsLetter(c) || IsDigit(c) || others.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string WhyNoFleetName(std::string_view name) {
  const bool is_name = !name.empty() && name.front() != '.' && name.front() != '-' &&
                       HasOnly(name, "._-+") && name.size() <= kMostBytesOfName;
  return is_name ? ""
                 : fmt::format(
                       "expected at most {} letters, digits, '.', '_', '-' and '+', not "
                       "'.' or '-' first",
                       kMostBytesOfName);
}

std::string WhyNoOptionName(std::string_view name) {
  const bool is_name = !name.empty() && IsLetter(name.front()) && HasOnly(name, "_-") &&
                       name.size() <= kMostBytesOfOption;
  return is_name ? ""
                 : fmt::format(
                       "expected at most {} letters, digits, '_' and '-', a letter first, "
                       "without the dashes before it and without its value",
                       kMostBytesOfOption);
}

std::string WhyNoFleetText(std::string_view text) {
  return text.find('\0') == std::string_view::npos ? "" : "expected no character of code 0";
}

void CheckFleetTexts(const nlohmann::json& json, std::string_view where) {
  const auto check = [&](const std::string& text) {
    if (const std::string why = WhyNoFleetText(text); !why.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: '{}': {}", where, Shown(text), why));
    }
  };
  if (json.is_string()) {
    check(json.get_ref<const std::string&>());
  }
  if (json.is_object()) {
    for (const auto& member : json.items()) {
      check(member.key());
    }
  }
  if (json.is_structured()) {
    for (const auto& item : json) {
      CheckFleetTexts(item, where);
    }
  }
}

}  // namespace halftone
