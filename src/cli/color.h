// Decision whether standard output is coloured (--color).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// "auto", "always", "never"
std::vector<std::string> ColorModes();

// Facts that decide in the mode "auto".
struct ColorFacts {
  bool terminal = false;      // standard output is a terminal
  std::string_view no_color;  // NO_COLOR: any text switches colours off (https://no-color.org)
  std::string_view term;      // TERM
};

ColorFacts CurrentColorFacts();

// Requires one of ColorModes().
bool UsesColor(std::string_view mode, const ColorFacts& facts);

}  // namespace halftone
