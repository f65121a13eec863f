// Calibration caches of TensorRT: a first line `TRT-<version>-<algorithm>`, then `name: ` and the
// bits of a float32 in 8 hexadecimal digits for each tensor: the scale of symmetric int8, which is
// the largest magnitude / 127. Names hold blanks and colons.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

constexpr std::string_view kPrefix = "TRT-";
constexpr std::string_view kSeparator = ": ";
constexpr std::size_t kDigits = 8;
constexpr double kMost = 127;  // of symmetric int8

// Empty: not 8 hexadecimal digits.
std::optional<float> FloatOfBits(std::string_view digits) {
  std::uint32_t bits = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, bits, 16);
  return digits.size() == kDigits && read.ec == std::errc{} && read.ptr == end
             ? std::optional(std::bit_cast<float>(bits))
             : std::nullopt;
}

// One line behind the first.
void ReadLine(RangeTable& table, std::string_view line, const std::string& place) {
  const std::size_t split = line.rfind(kSeparator);
  const auto scale = split == std::string_view::npos
                         ? std::nullopt
                         : FloatOfBits(line.substr(split + kSeparator.size()));
  if (!scale || !std::isfinite(*scale) || *scale < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected 'name: ' and the 8 hexadecimal digits of a scale from 0, "
                            "found '{}'",
                            place, Shown(line)));
  }
  const std::string_view name = line.substr(0, split);
  if (*scale == 0) {
    table.notes.push_back(fmt::format("'{}' is passed over: its scale is 0", Shown(name)));
    return;
  }
  TableEntry entry = EntryOfMagnitude(kMost * static_cast<double>(*scale));
  entry.grid = TableEntry::Grid::kSigned;
  entry.scales = {*scale};
  entry.zero_points = {0};
  AddEntry(table, name, std::move(entry), place);
}

// The scale of a tensor's line; empty: it has none.
std::optional<float> ScaleOf(const TableEntry& entry) {
  if (entry.symmetric && entry.grid == TableEntry::Grid::kSigned && entry.bits == 8 &&
      entry.scales.size() == 1) {
    return entry.scales.front();
  }
  const auto magnitude = MagnitudeOf(entry);
  return magnitude ? std::optional(static_cast<float>(*magnitude / kMost)) : std::nullopt;
}

}  // namespace

bool IsTensorRtCache(const TableText& table) {
  return table.text.starts_with(kPrefix);
}

RangeTable ReadTensorRtCache(const TableText& table) {
  RangeTable read;
  std::size_t number = 0;
  for (const std::string_view line : Split(table.text, '\n')) {
    ++number;
    if (number > 1 && !Trim(line).empty()) {
      const std::string_view whole = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
      ReadLine(read, whole, fmt::format("{}:{}", table.where, number));
    }
  }
  return read;
}

WrittenTable WriteTensorRtCache(const RangeTable& table, std::string_view first_line) {
  WrittenTable written{.text = std::string(first_line) + "\n", .notes = {}};
  for (const auto& [name, entry] : table.entries) {
    std::string lost = LostInMagnitude(name, entry);
    const auto scale = ScaleOf(entry);
    if (lost.empty() && (!scale || !(*scale > 0) || !std::isfinite(*scale))) {
      lost = fmt::format("'{}' is left out: it has no range, or only 0", Shown(name));
    }
    if (lost.empty() && IsNoLine(name)) {
      lost = fmt::format("'{}' is left out: its name has a line break or byte 0", Shown(name));
    }
    if (!lost.empty()) {
      written.notes.push_back(std::move(lost));
      continue;
    }
    written.text +=
        fmt::format("{}{}{:08x}\n", name, kSeparator, std::bit_cast<std::uint32_t>(*scale));
  }
  return written;
}

}  // namespace halftone
