#include "src/precision/config_lines.h"

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

bool SurvivesAsLine(std::string_view name) {
  return !name.empty() && Trim(name) == name && !name.starts_with('#') &&
         name.find_first_of("\r\n") == std::string_view::npos && !name.starts_with(kByteOrderMark);
}

}  // namespace halftone
