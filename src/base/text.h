// Small text functions that several folders need. Pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/printable.h"  // Printable() and Shown(), for the many who need both

namespace halftone {

// `text` without blanks, tabs and a carriage return at both ends.
std::string_view Trim(std::string_view text);

// The parts between separators; "a,,b" has three, "" has one empty part. They are views of the
// text: a temporary string is refused.
std::vector<std::string_view> Split(std::string_view text, char separator);
template <std::same_as<std::string> Text>
std::vector<std::string_view> Split(Text&& text, char separator) = delete;

// The parts with `separator` between them.
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

// "1 node", "3 nodes": for nouns whose plural is an s.
std::string Counted(std::int64_t count, std::string_view noun);

// The candidates closest to `word` by edit distance (at most 3, none farther than a third of the
// word's length), best first: what a message offers as "did you mean".
std::vector<std::string> ClosestNames(std::string_view word,
                                      const std::vector<std::string>& candidates);

// "12.3 KiB"-like text with three significant digits.
std::string FormatBytes(double bytes);

// "12.3 ms"-like text with three significant digits; the unit follows from the size.
std::string FormatSeconds(double seconds);

}  // namespace halftone
