#include "src/quantization/files/range_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

using Grid = TableEntry::Grid;

struct ReaderRow {
  TableReader reader;
  bool (*recognises)(const TableText&);
  RangeTable (*read)(const TableText&);
};

// Readers in the order in which they are asked; the last one takes any text.
constexpr ReaderRow kReaders[] = {
    {{kOwnKind, "halftone's own file"}, IsOwnTable, ReadOwnTable},
    {{"aimet", "encodings of AIMET, versions 0.4 to 1.0.0"}, IsAimet, ReadAimet},
    {{"onnxruntime json", "calibration.json of ONNX Runtime"}, IsOrtJson, ReadOrtJson},
    {{"tensorrt", "calibration cache of TensorRT"}, IsTensorRtCache, ReadTensorRtCache},
    {{kGlowKind, "profile of Glow or of qaic-compile -dump-profile"}, IsGlowTable, ReadGlowTable},
    {{"onnxruntime flatbuffers", "calibration.flatbuffers of ONNX Runtime"},
     IsOrtFlatbuffers,
     ReadOrtFlatbuffers},
    {{"onnxruntime cache", "calibration.cache of ONNX Runtime"}, IsOrtCache, ReadOrtCache},
};

// How far zero points of `bits` signed bits lie from those of unsigned ones.
std::int64_t SignedShift(int bits) {
  return std::int64_t{1} << static_cast<unsigned>(bits - 1);
}

// An integer grid of 8 bits with scales.
bool HasByteScales(const TableEntry& entry) {
  return (entry.grid == Grid::kUnsigned || entry.grid == Grid::kSigned) && entry.bits == 8 &&
         !entry.scales.empty();
}

bool StartsAsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

std::optional<ActivationScale> ActivationScaleOf(const TableEntry& entry) {
  if (!HasByteScales(entry) || entry.scales.size() != 1) {
    return std::nullopt;
  }
  const std::int64_t shift = entry.grid == Grid::kSigned ? SignedShift(8) : 0;
  const std::int64_t zero = entry.zero_points.front() + shift;
  return zero < 0 || zero > 255
             ? std::nullopt
             : std::optional(ActivationScale{.scale = entry.scales.front(),
                                             .zero_point = static_cast<std::int32_t>(zero)});
}

std::optional<WeightScales> WeightScalesOf(const TableEntry& entry) {
  if (!HasByteScales(entry)) {
    return std::nullopt;
  }
  const std::int64_t shift = entry.grid == Grid::kUnsigned ? SignedShift(8) : 0;
  WeightScales weights{.scales = entry.scales, .zero_points = {}};
  bool all_zero = true;
  for (const std::int64_t stored : entry.zero_points) {
    const std::int64_t zero = stored - shift;
    if (zero < -128 || zero > 127) {
      return std::nullopt;
    }
    all_zero = all_zero && zero == 0;
    weights.zero_points.push_back(static_cast<std::int32_t>(zero));
  }
  if (all_zero) {
    weights.zero_points.clear();
  }
  return weights;
}

RangeTable TableOf(const Quantization& quantization) {
  RangeTable table{.kind = std::string(kReaders[0].reader.kind), .entries = {}, .notes = {}};
  for (const auto& [name, scale] : quantization.activations) {
    table.entries[name] = {.grid = Grid::kUnsigned,
                           .range = scale.range(),
                           .scales = {scale.scale},
                           .zero_points = {scale.zero_point}};
  }
  for (const auto& [name, weights] : quantization.weights) {
    TableEntry entry{.grid = Grid::kSigned,
                     .symmetric = weights.zero_points.empty(),
                     .is_parameter = true,
                     .range = ValueRange{},
                     .scales = weights.scales,
                     .zero_points = {weights.zero_points.begin(), weights.zero_points.end()}};
    entry.zero_points.resize(entry.scales.size());
    for (std::size_t i = 0; i < entry.scales.size(); ++i) {
      const double scale = entry.scales[i];
      const auto zero = static_cast<double>(entry.zero_points[i]);
      // A symmetric channel uses -127 to 127.
      entry.range->low =
          std::min(entry.range->low, scale * ((entry.symmetric ? -127 : -128) - zero));
      entry.range->high = std::max(entry.range->high, scale * (127 - zero));
    }
    table.entries[name] = std::move(entry);
  }
  return table;
}

std::vector<TableReader> TableReaders() {
  std::vector<TableReader> readers;
  for (const ReaderRow& row : kReaders) {
    readers.push_back(row.reader);
  }
  return readers;
}

RangeTable ParseRangeTable(std::string_view text, std::string_view where) {
  const bool is_json = StartsAsJson(text);
  const std::size_t most = is_json ? kMostJsonTableBytes : kMostTableBytes;
  if (text.size() > most) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected at most {} bytes, found {}", where, most, text.size()));
  }
  nlohmann::json document;
  TableText table{.text = text, .where = where};
  if (is_json) {
    document = ParseStrictJson(text, where);
    table.document = &document;
  }
  for (const ReaderRow& row : kReaders) {
    if (row.recognises(table)) {
      RangeTable read = row.read(table);
      read.kind = row.reader.kind;
      return read;
    }
  }
  std::vector<std::string> kinds;
  for (const TableReader& reader : TableReaders()) {
    kinds.emplace_back(reader.meaning);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected a table of ranges ({}), found another file", where,
                          Join(kinds, "; ")));
}

RangeTable ReadRangeTable(const std::filesystem::path& path) {
  return ParseRangeTable(ReadSmallFile(path, kMostTableBytes), path.string());
}

// ---- table_readers.h

std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

TableEntry EntryOfMagnitude(double magnitude) {
  return {.symmetric = true,
          .range = ValueRange{0 - std::abs(magnitude), std::abs(magnitude)},
          .scales = {},
          .zero_points = {}};
}

void AddEntry(RangeTable& table, std::string_view name, TableEntry entry, std::string_view place) {
  if (!table.entries.emplace(name, std::move(entry)).second) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: the tensor '{}' stands twice; keep one of them",
                                               place, Shown(name)));
  }
}

std::optional<double> MagnitudeOf(const TableEntry& entry) {
  if (entry.range) {
    return std::max(std::abs(entry.range->low), std::abs(entry.range->high));
  }
  return std::nullopt;
}

bool IsNoLine(std::string_view name) {
  using namespace std::string_view_literals;
  return name.find_first_of("\r\n\0"sv) != std::string_view::npos;
}

std::string LostInMagnitude(const std::string& name, const TableEntry& entry) {
  if (entry.grid == Grid::kFloat) {
    return fmt::format("'{}' is left out: it stays in floating point", Shown(name));
  }
  if (entry.is_parameter) {
    return fmt::format("'{}' is left out: the table is of activations", Shown(name));
  }
  return {};
}

}  // namespace halftone
