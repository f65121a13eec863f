// Lines of a configuration file, as every text format here reads them.
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

// Quotation of a line of such a file, or of a name from it, in a message: in quotes and printable,
// whole up to 200 characters, else its two ends (Shown()).
std::string QuotedLine(std::string_view line);

// True if `name` can be written to such a file as a line or key of its own and read back unchanged:
// not empty, no blanks at the ends, no line break, not a comment, no byte-order mark.
bool SurvivesAsLine(std::string_view name);

}  // namespace halftone
