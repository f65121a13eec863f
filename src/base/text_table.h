// Columns for the screen, fitted to its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// The width of text for a file or a pipe.
inline constexpr std::size_t kColumnsOfFiles = 80;

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells as the header
};

// The table in lines of at most `columns` characters, two blanks between its columns, none at the
// end of a line. A cell that is longer than its column goes on in the next line, broken behind a
// blank or one of , ; : / _ . but in no number. Columns are narrowed such that the table grows by
// few lines, to eight characters or a word of up to 24, so a table of many columns can be wider
// than `columns`. Cells are shown Printable(). One element a row, the header first: the lines of
// the row, each with its line break.
std::vector<std::string> AlignedRows(const TextTable& shown, std::size_t columns = kColumnsOfFiles);

// The rows one behind another, as one text.
std::string AlignedTable(const TextTable& shown, std::size_t columns = kColumnsOfFiles);

// A text in lines of at most `width` characters, broken as a cell.
std::vector<std::string> BrokenLines(std::string_view text, std::size_t width);

// The width that the table takes where it is not narrowed.
std::size_t NaturalWidth(const TextTable& shown);

// Characters on the screen, of UTF-8: bytes that continue a character take none.
std::size_t WidthOf(std::string_view text);

}  // namespace halftone
