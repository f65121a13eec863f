// Lines for a terminal, broken between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halftone {

// `text` with lines longer than `columns` broken at blanks; each continuation begins with two
// blanks. Sequences of a terminal (ESC [ ... m) take no columns. A line that holds a command line
// of the program ("halftone ... --") stays whole, so that it copies as one, and so does a word that
// is longer than a line.
std::string WrappedLines(std::string_view text, std::size_t columns);

}  // namespace halftone
