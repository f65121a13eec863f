// Lines of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace halftone {

// One line. Cells with a comma, a semicolon or a quote are quoted, after control characters became
// escapes (Printable()): a cell never breaks the line. A cell that a spreadsheet would take for a
// formula, since it begins with one of = + - @ and is no number, has an apostrophe in front, as one
// that begins with an apostrophe has: a reader drops the first.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace halftone
