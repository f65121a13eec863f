// The lines of a configuration file, as every text format here reads them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct ConfigLine {
  std::size_t number;     // from 1
  std::string_view text;  // without line feed and carriage return; blanks at the ends stay
};

// Splits at line feeds; a byte-order mark at the start is dropped.
std::vector<ConfigLine> ConfigLinesOf(std::string_view content);

// How a message quotes a line of such a file, or a name from it: in quotes and printable, whole up
// to 200 characters, of a longer one its two ends (Shown()).
std::string QuotedLine(std::string_view line);

// Whether `name` comes back unchanged when it is written to such a file as a line or a key of its
// own: not empty, no blanks at the ends, no line break, not a comment, no byte-order mark.
bool SurvivesAsLine(std::string_view name);

}  // namespace halftone
