// Small functions on texts. Pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/printable.h"  // Printable() and Shown(), for the many who need both

namespace halftone {

// Returns `text` without blanks, tabs and line breaks at both ends.
std::string_view Trim(std::string_view text);

// Returns the parts between separators: three of "a,,b", one empty part of "". The parts are views
// of `text`, so a temporary string does not compile.
std::vector<std::string_view> Split(std::string_view text, char separator);
template <std::same_as<std::string> Text>
std::vector<std::string_view> Split(Text&& text, char separator) = delete;

// Returns the parts in one text, with `separator` between them.
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

// Returns "1 node", "3 nodes". For nouns with a plural in s.
std::string Counted(std::int64_t count, std::string_view noun);

// Returns up to 3 candidates with the least edit distance to `word`, the nearest first, for "did
// you mean" in messages. The distance is at most 2, or a third of the length of `word` if that is
// more.
std::vector<std::string> ClosestNames(std::string_view word,
                                      const std::vector<std::string>& candidates);

// Returns "512 B", or three significant digits with a larger unit: "12.3 KiB".
std::string FormatBytes(double bytes);

// Returns three significant digits with a unit from s to ns: "12.3 ms"; "0 s" below 1 ns.
std::string FormatSeconds(double seconds);

}  // namespace halftone
