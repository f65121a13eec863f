#include "src/report/markdown_text.h"

#include "src/base/printable.h"

namespace halftone {
namespace {

std::string Row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += " " + MarkdownText(cell) + " |";
  }
  return line + "\n";
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return escaped;
}

std::string MarkdownTable(const TextTable& table) {
  std::string text = Row(table.header);
  text += "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    text += "---|";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text += Row(row);
  }
  return text;
}

std::string MarkdownList(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += "- " + MarkdownText(item) + "\n";
  }
  return text;
}

}  // namespace halftone
