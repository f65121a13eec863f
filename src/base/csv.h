// Lines of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace halftone {

// One line. Cells with a comma or a quote are quoted, after control characters became escapes
// (Printable()): a cell never breaks the line.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace halftone
