// Whole numbers in texts of users.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace halftone {

// The number that is all of the text; empty: another text, or a number that does not fit.
template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace halftone
