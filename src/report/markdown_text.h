// Pieces of Markdown. Names come from models and may hold anything, so all text is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/text_table.h"

namespace halftone {

// Text for a line or a cell: printable, bars escaped.
std::string MarkdownText(std::string_view text);

std::string MarkdownTable(const TextTable& table);

// A line "- item" each.
std::string MarkdownList(const std::vector<std::string>& items);

}  // namespace halftone
