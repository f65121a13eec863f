#include "src/base/csv.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "src/base/text.h"

namespace halftone {
namespace {

bool IsNumber(std::string_view text) {
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// The second row has the same characters at full width, which East Asian spreadsheets treat alike.
bool NeedsApostrophe(std::string_view text) {
  constexpr std::string_view kBegins[] = {
      "=", "+", "-", "@", "'", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  return !IsNumber(text) && std::ranges::any_of(kBegins, [&](std::string_view begin) {
    return text.starts_with(begin);
  });
}

std::string Cell(std::string_view foreign) {
  std::string text = Printable(foreign);
  text.insert(0, NeedsApostrophe(text) ? "'" : "");
  if (text.find_first_of(",;\"") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  quoted.reserve(cells.size());
  for (const std::string& cell : cells) {
    quoted.push_back(Cell(cell));
  }
  return Join(quoted, ",") + "\n";
}

}  // namespace halftone
