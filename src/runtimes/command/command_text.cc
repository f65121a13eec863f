#include "src/runtimes/command/command_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowUnknown(std::string_view text, std::string_view name,
                               std::string_view option) {
  std::vector<std::string> names;
  for (const PlaceholderRow& row : kPlaceholders) {
    names.push_back(fmt::format("{{{}}}", row.name));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected one of {} at '{}' in '{}'; write {{{{ for a brace", option,
                          Join(names, ", "), Shown(name), Shown(text)));
}

// Calls `plain` with text and `placeholder` with the index of each placeholder, in order.
void Walk(std::string_view text, std::string_view option,
          const std::function<void(std::string_view)>& plain,
          const std::function<void(std::size_t)>& placeholder) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t brace = std::min(text.find('{', at), text.size());
    plain(text.substr(at, brace - at));
    if (brace == text.size()) {
      return;
    }
    if (text.substr(brace, 2) == "{{") {
      plain("{");
      at = brace + 2;
      continue;
    }
    const std::size_t end = text.find('}', brace);
    if (end == std::string_view::npos) {
      ThrowUnknown(text, text.substr(brace), option);
    }
    const auto* const row = std::ranges::find(
        kPlaceholders, text.substr(brace + 1, end - brace - 1), &PlaceholderRow::name);
    if (row == std::end(kPlaceholders)) {
      ThrowUnknown(text, text.substr(brace, end + 1 - brace), option);
    }
    placeholder(static_cast<std::size_t>(row - std::begin(kPlaceholders)));
    at = end + 1;
  }
}

}  // namespace

std::string FillPlaceholders(std::string_view text, const PlaceholderValues& values,
                             std::string_view option) {
  std::string filled;
  Walk(
      text, option, [&](std::string_view part) { filled += part; },
      [&](std::size_t index) { filled += values.at(index); });
  return filled;
}

bool HasPlaceholder(std::string_view text, Placeholder placeholder, std::string_view option) {
  bool found = false;
  Walk(
      text, option, [](std::string_view) {},
      [&](std::size_t index) { found = found || index == static_cast<std::size_t>(placeholder); });
  return found;
}

std::vector<std::string> EnvironmentOf(const PlaceholderValues& values) {
  std::vector<std::string> words = {"HALFTONE_MEASURE=1", "LC_ALL=C"};
  for (std::size_t i = 0; i < kPlaceholderCount; ++i) {
    words.push_back(fmt::format("{}={}", kPlaceholders[i].variable, values[i]));
  }
  return words;
}

}  // namespace halftone
