// Conversion of a whole text to a number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace halftone {

// Returns the number that the whole text is in decimal; empty: the text is anything else, or the
// number does not fit into Number. Blanks and a plus sign are not allowed.
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
