// Lines of a configuration file, for all text formats of precision options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct ConfigLine {
  std::size_t number;     // from 1
  std::string_view text;  // without line break, with blanks at its ends
};

// Splits the content of a file at line feeds and drops a byte-order mark at its start.
std::vector<ConfigLine> ConfigLinesOf(std::string_view content);

// A line or name of a file for a message: printable, in quotes, and cut to its two ends (Shown())
// if it is longer than 200 characters.
std::string QuotedLine(std::string_view line);

// True if a file can hold `name` as a line or key of its own: it is not empty, has no blanks at its
// ends and no line break, and does not begin with '#' or a byte-order mark.
bool SurvivesAsLine(std::string_view name);

}  // namespace halftone
