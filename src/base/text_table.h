// Tables of text, fitted to the width of the screen. Widths are in characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Width of text for a file or a pipe.
inline constexpr std::size_t kColumnsOfFiles = 80;

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells as the header
};

// Returns the rows as text, the header first; each row ends with a line break and may have several
// lines. Lines have at most `columns` characters. Two blanks separate the columns; no line ends
// with a blank. Cells are made Printable().
//
// A cell that is longer than its column is broken into several lines, at a blank or behind one of ,
// ; : / _ . but not inside a number. Columns are narrowed so that few lines are added. No column
// becomes narrower than 8 characters, or than its longest word of up to 24 characters, so a table
// of many columns may exceed `columns`.
std::vector<std::string> AlignedRows(const TextTable& shown, std::size_t columns = kColumnsOfFiles);

// The rows of AlignedRows(), joined.
std::string AlignedTable(const TextTable& shown, std::size_t columns = kColumnsOfFiles);

// Breaks a text into lines of at most `width` characters, at the same places as a cell.
std::vector<std::string> BrokenLines(std::string_view text, std::size_t width);

// Width of the table if no column is narrowed.
std::size_t NaturalWidth(const TextTable& shown);

// Number of code points of a UTF-8 text.
std::size_t WidthOf(std::string_view text);

}  // namespace halftone
