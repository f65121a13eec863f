// Lines of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace halftone {

// One line. Cells with a comma, a semicolon or a quote are quoted, after control characters became
// escapes (Printable()): a cell never breaks the line. A cell that a spreadsheet would take for a
// formula, because it begins with one of = + - @ and is no number, gets an apostrophe in front. So
// does a cell that begins with an apostrophe: readers drop the first one.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace halftone
