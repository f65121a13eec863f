// Pieces of Markdown. Names come from models and may hold anything, so all text is escaped here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text_table.h"

namespace halftone {

// Text for a line or a cell. Unprintable characters are escaped. So are bars, and all that Markdown
// would read as HTML, code, emphasis, a link, a heading, a list or a quotation.
std::string MarkdownText(std::string_view text);

// A code span, for text that a reader copies as it is.
std::string MarkdownCode(std::string_view text);

// True if the cell of a row at `column` is a code span.
using CodeCells = std::function<bool(const std::vector<std::string>& row, std::size_t column)>;

std::string MarkdownTable(const TextTable& table, const CodeCells& is_code = {});

// A line "- item" for each item.
std::string MarkdownList(const std::vector<std::string>& items);

}  // namespace halftone
