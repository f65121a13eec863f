// Line breaking between words, for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halftone {

// Breaks the lines of the text that are longer than `columns` at blanks. Each continuation line
// begins with two blanks. Escape sequences of a terminal (ESC [ ... m) count as no columns. A word
// that is longer than a line is not broken, nor is a line with a command line of the program
// ("halftone ... --"), so that it can be copied.
std::string WrappedLines(std::string_view text, std::size_t columns);

}  // namespace halftone
