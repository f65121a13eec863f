// --color: permission to colour standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// "auto", "always", "never"
std::vector<std::string> ColorModes();

// Inputs of "auto".
struct ColorFacts {
  bool terminal = false;      // standard output is one
  std::string_view no_color;  // NO_COLOR: any text switches colours off (https://no-color.org)
  std::string_view term;      // TERM
};

ColorFacts CurrentColorFacts();

// Requires one of ColorModes().
bool UsesColor(std::string_view mode, const ColorFacts& facts);

}  // namespace halftone
