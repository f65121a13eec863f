#include "src/base/csv.h"

#include <string_view>

#include "src/base/text.h"

namespace halftone {
namespace {

std::string Cell(std::string_view foreign) {
  const std::string text = Printable(foreign);
  if (text.find_first_of(",\"") == std::string::npos) {
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
  for (const std::string& cell : cells) {
    quoted.push_back(Cell(cell));
  }
  return Join(quoted, ",") + "\n";
}

}  // namespace halftone
