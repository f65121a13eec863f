// Writer of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace halftone {

// Returns one line with its line break. Control characters become escapes (Printable()), so that no
// cell breaks the line. Cells with a comma, a semicolon or a quote are quoted.
//
// A spreadsheet takes a cell that begins with = + - or @ for a formula; such a cell, unless it is a
// number, gets an apostrophe in front. So does a cell that begins with an apostrophe, because
// readers drop the first one.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace halftone
