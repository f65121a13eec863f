#include "src/precision/files/config_lines.h"

#include <algorithm>

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::vector<ConfigLine> ConfigLinesOf(std::string_view content) {
  if (content.starts_with(kByteOrderMark)) {
    content.remove_prefix(kByteOrderMark.size());
  }
  std::vector<ConfigLine> lines;
  for (std::string_view text : Split(content, '\n')) {
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    lines.push_back({lines.size() + 1, text});
  }
  return lines;
}

std::string QuotedLine(std::string_view line) {
  constexpr std::size_t kMost = 200;
  const auto characters = std::count_if(line.begin(), line.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80;  // no later byte of one
  });
  const bool whole = characters <= static_cast<std::ptrdiff_t>(kMost) && line.size() <= 4 * kMost;
  return "'" + (whole ? Printable(line) : Shown(line)) + "'";
}

bool SurvivesAsLine(std::string_view name) {
  return !name.empty() && Trim(name) == name && !name.starts_with('#') &&
         name.find_first_of("\r\n") == std::string_view::npos && !name.starts_with(kByteOrderMark);
}

}  // namespace halftone
