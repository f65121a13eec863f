// Columns for the screen.
#pragma once

#include <string>
#include <vector>

namespace halftone {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// Columns as wide as their widest cell, two blanks between them, none at the end of a line; cells
// are shown Printable().
std::string AlignedTable(const TextTable& shown);

}  // namespace halftone
