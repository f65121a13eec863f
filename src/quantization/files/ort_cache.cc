// calibration.cache of ONNX Runtime: a line `tensor value` for each tensor, the value as Python
// prints it. Names may hold blanks.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

// The name and the value of a line; no value: it has no such form.
struct CacheLine {
  std::string_view name;
  std::optional<double> value;
};

CacheLine PartsOf(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  const std::size_t split = line.rfind(' ');
  if (split == std::string_view::npos || split == 0) {
    return {};
  }
  return {.name = line.substr(0, split), .value = NumberOf(line.substr(split + 1))};
}

}  // namespace

// The first line that is not blank decides; the others are the reader's to refuse.
bool IsOrtCache(const TableText& table) {
  if (table.document != nullptr || table.text.find('\0') != std::string_view::npos) {
    return false;
  }
  const std::size_t start = std::min(table.text.find_first_not_of(" \t\r\n"), table.text.size());
  const std::string_view rest = table.text.substr(start);
  return PartsOf(rest.substr(0, rest.find('\n'))).value.has_value();
}

RangeTable ReadOrtCache(const TableText& table) {
  RangeTable read;
  std::size_t number = 0;
  for (const std::string_view line : Split(table.text, '\n')) {
    ++number;
    if (Trim(line).empty()) {
      continue;
    }
    const std::string place = fmt::format("{}:{}", table.where, number);
    const CacheLine parts = PartsOf(line);
    if (!parts.value) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected 'tensor value', found '{}'", place, Shown(line)));
    }
    AddEntry(read, parts.name, EntryOfMagnitude(*parts.value), place);
  }
  read.notes.emplace_back(kOrtMagnitudeNote);
  return read;
}

WrittenTable WriteOrtCache(const RangeTable& table) {
  WrittenTable written;
  for (const auto& [name, entry] : table.entries) {
    std::string lost = LostInMagnitude(name, entry);
    const auto magnitude = MagnitudeOf(entry);
    if (lost.empty() && !magnitude) {
      lost = fmt::format("'{}' is left out: it has no range", Shown(name));
    }
    if (lost.empty() && (name.empty() || IsNoLine(name))) {
      lost = fmt::format("'{}' is left out: its name is empty or has a line break or byte 0",
                         Shown(name));
    }
    if (!lost.empty()) {
      written.notes.push_back(std::move(lost));
      continue;
    }
    written.text += fmt::format("{} {}\n", name, JsonDouble(*magnitude));
  }
  return written;
}

}  // namespace halftone
