#include "src/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/printable.h"

namespace halftone {
namespace {

// Names of a model stand in cells.
TextTable WithPrintableCells(TextTable table) {
  for (std::string& cell : table.header) {
    cell = Printable(cell);
  }
  for (std::vector<std::string>& row : table.rows) {
    for (std::string& cell : row) {
      cell = Printable(cell);
    }
  }
  return table;
}

}  // namespace

std::string AlignedTable(const TextTable& shown) {
  const TextTable table = WithPrintableCells(shown);
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t width = table.header[c].size();
    for (const auto& row : table.rows) {
      width = std::max(width, row[c].size());
    }
    widths.push_back(width);
  }
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      line += fmt::format("{}{:<{}}", c == 0 ? "" : "  ", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_row(table.header);
  for (const auto& row : table.rows) {
    add_row(row);
  }
  return text;
}

}  // namespace halftone
