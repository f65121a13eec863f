#include "src/report/markdown_text.h"

#include <algorithm>
#include <cctype>

#include "src/base/printable.h"

namespace halftone {
namespace {

struct MarkdownEscape {
  char character;
  std::string_view text;
};

constexpr MarkdownEscape kEscapes[] = {{'|', "\\|"}, {'\\', "\\\\"}, {'`', "\\`"},  {'*', "\\*"},
                                       {'~', "\\~"}, {'<', "&lt;"},  {'&', "&amp;"}};

bool IsLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// Whether the text in front makes the character `next` a part of a link, of a definition of one or
// of an address that becomes one. `[a]` alone is none, as intervals are not.
bool EndsLink(std::string_view before, char next) {
  return (before.ends_with(']') && (next == '(' || next == '[' || next == ':')) ||
         ((before.ends_with("http") || before.ends_with("https") || before.ends_with("ftp")) &&
          next == ':') ||
         ((before.ends_with("www") || before.ends_with("WWW")) && next == '.');
}

// How many characters at the begin of a line make it a heading, a quotation, an item or a rule.
std::size_t MarkOfBlock(std::string_view text) {
  constexpr std::string_view kMarks = "#>+-=";
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && digits < text.size()) {
    const bool is_item = text[digits] == '.' || text[digits] == ')';
    return is_item && (digits + 1 == text.size() || text[digits + 1] == ' ') ? digits + 1 : 0;
  }
  if (text.empty() || kMarks.find(text[0]) == std::string_view::npos) {
    return 0;
  }
  // A number may be negative.
  return text.size() > 1 && (IsLetter(text[1]) || text[1] == '.') && text[0] != '#' &&
                 text[0] != '>'
             ? 0
             : 1;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string_view by(&c, 1);
    for (const MarkdownEscape& row : kEscapes) {
      by = row.character == c ? row.text : by;
    }
    // Inside a word it is a character.
    const bool emphasises = c == '_' && (i == 0 || i + 1 == text.size() || !IsLetter(text[i - 1]) ||
                                         !IsLetter(text[i + 1]));
    escaped += emphasises || EndsLink(text.substr(0, i), c) ? "\\" : "";
    escaped += by;
  }
  return escaped;
}

std::string Row(const std::vector<std::string>& cells, const CodeCells& is_code) {
  std::string line = "|";
  for (std::size_t column = 0; column < cells.size(); ++column) {
    std::string cell = is_code && is_code(cells, column) ? MarkdownCode(cells[column])
                                                         : Escaped(Printable(cells[column]));
    if (is_code && is_code(cells, column)) {
      for (std::size_t bar = cell.find('|'); bar != std::string::npos;
           bar = cell.find('|', bar + 2)) {
        cell.insert(bar, "\\");
      }
    }
    line += " " + cell + " |";
  }
  return line + "\n";
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  const std::string shown = Printable(text);
  const std::size_t mark = MarkOfBlock(shown);
  if (mark == 0) {
    return Escaped(shown);
  }
  const std::string_view rest(shown);
  return std::string(rest.substr(0, mark - 1)) + "\\" + rest[mark - 1] + Escaped(rest.substr(mark));
}

std::string MarkdownCode(std::string_view text) {
  const std::string shown = Printable(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool touches = shown.empty() || shown.front() == '`' || shown.back() == '`';
  const std::string blank = touches ? " " : "";
  return fence + blank + shown + blank + fence;
}

std::string MarkdownTable(const TextTable& table, const CodeCells& is_code) {
  std::string text = Row(table.header, nullptr);
  text += "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    text += "---|";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text += Row(row, is_code);
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
