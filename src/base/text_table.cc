#include "src/base/text_table.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "src/base/printable.h"

namespace halftone {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;
constexpr std::size_t kLongestWhole = 24;  // characters of words that no column cuts
constexpr std::string_view kBreakBehind = ",;:/_.";
constexpr std::size_t kCostOfALine = 2;
constexpr std::size_t kCostOfACut = 6;

using Row = std::vector<std::string>;
using Lines = std::vector<std::string>;

// Rows of printable cells, the header first.
std::vector<Row> PrintableRows(const TextTable& table) {
  std::vector<Row> rows = {table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  for (Row& row : rows) {
    std::ranges::transform(row, row.begin(), Printable);
  }
  return rows;
}

// Bytes of the first `width` characters.
std::size_t BytesOf(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t shown = 0; bytes < text.size(); ++bytes) {
    if ((text[bytes] & 0xC0) != 0x80 && shown++ == width) {
      break;
    }
  }
  return bytes;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// True at the blank of "12.5 %", which belongs to its number.
bool IsBlank(std::string_view text, std::size_t i) {
  return text[i] == ' ' && (i + 1 == text.size() || text[i + 1] != '%');
}

// True behind a mark, but for the point of a number.
bool BreaksBehind(std::string_view text, std::size_t i) {
  const bool in_number = text[i] == '.' && i > 0 && IsDigit(text[i - 1]) && i + 1 < text.size() &&
                         IsDigit(text[i + 1]);
  return i > 0 && kBreakBehind.find(text[i]) != std::string_view::npos && !in_number;
}

// Bytes of `text` that stand in a first line of `most` bytes: as many as end at a place to break, a
// blank before other marks where it leaves no short line; 0: there is none.
std::size_t FirstLine(std::string_view text, std::size_t most) {
  std::size_t blank = std::min(most, text.size() - 1);
  while (blank > 0 && !IsBlank(text, blank)) {
    --blank;
  }
  std::size_t mark = std::min(most, text.size());
  while (mark > 0 && !BreaksBehind(text, mark - 1)) {
    --mark;
  }
  if (3 * blank >= most || mark == 0) {
    return blank;
  }
  return 3 * mark >= most || blank == 0 ? mark : blank;
}

struct BrokenCell {
  Lines lines;
  std::size_t cut_words = 0;  // lines that end within a word
};

BrokenCell Broken(std::string_view text, std::size_t width) {
  BrokenCell broken;
  while (WidthOf(text) > width) {
    const std::size_t most = BytesOf(text, width);
    std::size_t bytes = FirstLine(text, most);
    if (bytes == 0) {
      bytes = most;
      ++broken.cut_words;
    }
    broken.lines.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  broken.lines.emplace_back(text);
  return broken;
}

struct ColumnAtWidth {
  std::vector<std::size_t> heights;  // lines of each cell
  std::size_t cut_words = 0;         // of all
};

// A column at different widths.
class ColumnHeights {
 public:
  ColumnHeights(const std::vector<Row>& rows, std::size_t column) : rows_(&rows), column_(column) {}

  const ColumnAtWidth& At(std::size_t width) {
    ColumnAtWidth& column = of_width_[width];
    if (column.heights.empty()) {
      for (const Row& row : *rows_) {
        const BrokenCell cell = Broken(row[column_], width);
        column.heights.push_back(cell.lines.size());
        column.cut_words += cell.cut_words;
      }
    }
    return column;
  }

 private:
  const std::vector<Row>* rows_;
  std::size_t column_;
  std::map<std::size_t, ColumnAtWidth> of_width_;
};

std::size_t SumOf(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// The column whose loss of one character costs least, of equals the widest; the number of columns:
// none can lose one. A word that is cut costs most, then a line of the table; a line of a cell
// costs something too where another cell is higher, so that short cells stay whole.
std::size_t ColumnToNarrow(std::vector<ColumnHeights>& columns,
                           const std::vector<std::size_t>& widths,
                           const std::vector<std::size_t>& narrowest) {
  const std::size_t rows = columns.front().At(widths.front()).heights.size();
  std::size_t best = widths.size();
  std::size_t least = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] <= narrowest[c]) {
      continue;
    }
    std::vector<std::size_t> heights(rows);
    std::size_t cost = 0;
    for (std::size_t each = 0; each < widths.size(); ++each) {
      const ColumnAtWidth& column = columns[each].At(widths[each] - (each == c ? 1 : 0));
      cost += kCostOfACut * column.cut_words;
      for (std::size_t row = 0; row < rows; ++row) {
        cost += column.heights[row];
        heights[row] = std::max(heights[row], column.heights[row]);
      }
    }
    for (const std::size_t height : heights) {
      cost += kCostOfALine * height;
    }
    if (best == widths.size() || cost < least || (cost == least && widths[c] > widths[best])) {
      best = c;
      least = cost;
    }
  }
  return best;
}

// The longest part of a text that no line break divides.
std::size_t LongestWord(std::string_view text) {
  std::size_t longest = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsBlank(text, i) || BreaksBehind(text, i) || i + 1 == text.size()) {
      longest =
          std::max(longest, WidthOf(text.substr(begin, i + (IsBlank(text, i) ? 0 : 1) - begin)));
      begin = i + 1;
    }
  }
  return longest;
}

// Width that each column keeps: that of its longest word, of those that may be cut eight
// characters.
std::vector<std::size_t> NarrowestColumns(const std::vector<Row>& rows) {
  std::vector<std::size_t> narrowest(rows.front().size(), kNarrowest);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < narrowest.size(); ++c) {
      const std::size_t word = LongestWord(row[c]);
      narrowest[c] = std::max(narrowest[c], word <= kLongestWhole ? word : 0);
    }
  }
  return narrowest;
}

std::vector<std::size_t> WidestCells(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], WidthOf(row[c]));
    }
  }
  return widths;
}

std::vector<std::size_t> FittedWidths(const std::vector<Row>& rows, std::size_t columns) {
  std::vector<std::size_t> widths = WidestCells(rows);
  const std::vector<std::size_t> narrowest = NarrowestColumns(rows);
  std::vector<ColumnHeights> heights;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    // More than a line is out of the question: no cell needs to be looked at for it.
    widths[c] = std::min(widths[c], std::max(columns, kNarrowest));
    heights.emplace_back(rows, c);
  }
  while (SumOf(widths) > columns) {
    const std::size_t narrower = ColumnToNarrow(heights, widths, narrowest);
    if (narrower == widths.size()) {
      break;
    }
    --widths[narrower];
  }
  return widths;
}

std::string RowText(const Row& row, const std::vector<std::size_t>& widths) {
  std::vector<Lines> cells;
  std::size_t height = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(Broken(row[c], widths[c]).lines);
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t l = 0; l < height; ++l) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string_view part = l < cells[c].size() ? std::string_view(cells[c][l]) : "";
      line += part;
      line.append(widths[c] - std::min(widths[c], WidthOf(part)) + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> BrokenLines(std::string_view text, std::size_t width) {
  return Broken(text, width).lines;
}

std::size_t NaturalWidth(const TextTable& shown) {
  return SumOf(WidestCells(PrintableRows(shown)));
}

std::vector<std::string> AlignedRows(const TextTable& shown, std::size_t columns) {
  const std::vector<Row> rows = PrintableRows(shown);
  const std::vector<std::size_t> widths = FittedWidths(rows, columns);
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const Row& row : rows) {
    texts.push_back(RowText(row, widths));
  }
  return texts;
}

std::string AlignedTable(const TextTable& shown, std::size_t columns) {
  std::string text;
  for (const std::string& row : AlignedRows(shown, columns)) {
    text += row;
  }
  return text;
}

}  // namespace halftone
