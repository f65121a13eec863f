#include "src/cli/wrap_lines.h"

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kIndent = "  ";

// Columns that `text` takes.
std::size_t ShownWidth(std::string_view text) {
  std::size_t width = 0;
  bool in_sequence = false;
  for (const char c : text) {
    if (in_sequence) {
      in_sequence = c != 'm';
    } else if (c == '\x1b') {
      in_sequence = true;
    } else {
      width += (c & 0xC0) != 0x80 ? 1 : 0;  // bytes that continue a character take none
    }
  }
  return width;
}

bool HoldsCommand(std::string_view line) {
  const auto program = line.find("halftone ");
  return program != std::string_view::npos && line.find(" --", program) != std::string_view::npos;
}

void AddWrapped(std::string& wrapped, std::string_view line, std::size_t columns) {
  if (ShownWidth(line) <= columns || HoldsCommand(line)) {
    wrapped += line;
    return;
  }
  std::size_t used = 0;
  bool first = true;
  for (const std::string_view word : Split(line, ' ')) {
    const std::size_t width = ShownWidth(word);
    if (!first && used + 1 + width > columns) {
      wrapped += "\n";
      wrapped += kIndent;
      used = kIndent.size();
    } else if (!first) {
      wrapped += " ";
      ++used;
    }
    wrapped += word;
    used += width;
    first = false;
  }
}

}  // namespace

std::string WrappedLines(std::string_view text, std::size_t columns) {
  std::string wrapped;
  bool first = true;
  for (const std::string_view line : Split(text, '\n')) {
    wrapped += first ? "" : "\n";
    AddWrapped(wrapped, line, columns);
    first = false;
  }
  return wrapped;
}

}  // namespace halftone
