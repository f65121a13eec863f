// Encodings of AIMET, versions up to 1.0.0.
//
// Up to 0.6.1 a tensor has a list of encodings, one for it or one for each channel:
//   {"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": .., "max": .., "scale": ..,
//    "offset": -114}, or {"bitwidth": 16, "dtype": "float"}
// 1.0.0 has a list of tensors:
//   {"name": .., "dtype": "INT", "bw": 8, "is_sym": false, "enc_type": "PER_TENSOR",
//    "scale": [..], "offset": [..]}
// real = scale * (q + offset), q from 0 to 2^bits - 1. Source: AIMET, "Encoding format
// specification".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

using Grid = TableEntry::Grid;

constexpr int kMostBits = 32;
constexpr double kMostSigned = 127;  // of 8 bits, both sides of 0
constexpr double kMostUnsigned = 255;

std::int64_t StepsOf(int bits) {
  return (std::int64_t{1} << static_cast<unsigned>(bits)) - 1;
}

std::int64_t HalfOf(int bits) {
  return std::int64_t{1} << static_cast<unsigned>(bits - 1);
}

// ---- Reading

// One scale, offset and range.
struct Encoding {
  float scale = 1;
  std::int64_t offset = 0;  // -(2^bits - 1) to 0
  ValueRange range;
};

bool BooleanAt(const JsonPlace& place) {
  const nlohmann::json& value = place.value();
  if (value == "True" || value == "true") {
    return true;
  }
  if (value == "False" || value == "false") {
    return false;
  }
  return place.Boolean();
}

float ScaleAt(const JsonPlace& place) {
  const float scale = place.Float();
  if (!(scale > 0)) {
    place.Refuse("a number above 0 in float32");
  }
  return scale;
}

ValueRange RangeOf(float scale, std::int64_t offset, int bits) {
  const auto step = static_cast<double>(scale);
  return {step * static_cast<double>(offset) + 0.0,
          step * static_cast<double>(offset + StepsOf(bits))};
}

// Adds encodings to an entry of their bits; the grid is signed where all of them are symmetric.
void SetEncodings(TableEntry& entry, const std::vector<Encoding>& encodings) {
  const std::int64_t half = HalfOf(entry.bits);
  const bool about_zero =
      entry.symmetric && std::all_of(encodings.begin(), encodings.end(), [&](const Encoding& e) {
        return e.offset == -half || e.offset == 1 - half;  // the latter has a step less below 0
      });
  entry.grid = about_zero ? Grid::kSigned : Grid::kUnsigned;
  entry.range = encodings.front().range;
  for (const Encoding& encoding : encodings) {
    entry.scales.push_back(encoding.scale);
    entry.zero_points.push_back(about_zero ? 0 : -encoding.offset);
    entry.range->low = std::min(entry.range->low, encoding.range.low);
    entry.range->high = std::max(entry.range->high, encoding.range.high);
  }
}

class AimetReader {
 public:
  RangeTable Read(const JsonPlace& document) {
    for (const auto& [key, is_parameter] :
         {std::pair{"activation_encodings", false}, std::pair{"param_encodings", true}}) {
      if (document.Has(key)) {
        is_parameter_ = is_parameter;
        ReadSection(document.At(key));
      }
    }
    if (positive_offsets_ > 0) {
      table_.notes.push_back(fmt::format(
          "{} with an offset above 0, as older versions wrote it: its zero point is taken from min "
          "and scale",
          Counted(positive_offsets_, "encoding")));
    }
    return std::move(table_);
  }

 private:
  void ReadSection(const JsonPlace& section) {
    if (section.value().is_array()) {
      for (std::size_t i = 0; i < section.ArraySize(); ++i) {
        const JsonPlace tensor = section.Item(i);
        ReadTensor(tensor, tensor.At("name").Text());
      }
      return;
    }
    section.RequireObject();
    for (const auto& [name, value] : section.value().items()) {
      ReadTensorOfList(section.At(name), name);
    }
  }

  // Up to 0.6.1.
  void ReadTensorOfList(const JsonPlace& tensor, const std::string& name) {
    if (tensor.ArraySize() == 0) {
      tensor.Refuse("an encoding, or one for each channel");
    }
    const JsonPlace first = tensor.Item(0);
    TableEntry entry{.is_parameter = is_parameter_, .scales = {}, .zero_points = {}};
    const std::string dtype = first.Has("dtype") ? first.At("dtype").Text() : "int";
    if (dtype == "float") {
      AddFloat(first, first.At("bitwidth"), name);
      return;
    }
    if (dtype != "int") {
      first.At("dtype").Refuse("\"int\" or \"float\"");
    }
    entry.bits = static_cast<int>(first.At("bitwidth").Integer(2, kMostBits));
    entry.symmetric = first.Has("is_symmetric") && BooleanAt(first.At("is_symmetric"));
    std::vector<Encoding> encodings;
    for (std::size_t i = 0; i < tensor.ArraySize(); ++i) {
      const JsonPlace item = tensor.Item(i);
      if (item.At("bitwidth").Integer(2, kMostBits) != entry.bits) {
        item.At("bitwidth").Refuse(fmt::format("{}, as in the first channel", entry.bits));
      }
      encodings.push_back(EncodingAt(item, entry.bits));
    }
    SetEncodings(entry, encodings);
    AddEntry(table_, name, std::move(entry), Place(tensor));
  }

  Encoding EncodingAt(const JsonPlace& place, int bits) {
    const bool has_range = place.Has("min") && place.Has("max");
    ValueRange range;
    if (has_range) {
      range = {place.At("min").Number(), place.At("max").Number()};
      if (range.low > range.high) {
        place.Complain(
            fmt::format("expected min not above max, found {} and {}", range.low, range.high));
      }
    }
    if (!place.Has("scale") && has_range) {  // what users write by hand
      return FromRange(place, range, bits);
    }
    Encoding encoding{.scale = ScaleAt(place.At("scale"))};
    const JsonPlace offset = place.At("offset");
    encoding.offset = offset.Integer(-StepsOf(bits), StepsOf(bits));
    if (encoding.offset > 0) {
      if (!has_range) {
        offset.Refuse(fmt::format("a whole number from {} to 0", -StepsOf(bits)));
      }
      ++positive_offsets_;
      encoding.offset = OffsetOf(range.low, encoding.scale, bits);
    }
    encoding.range = has_range ? range : RangeOf(encoding.scale, encoding.offset, bits);
    return encoding;
  }

  static std::int64_t OffsetOf(double low, float scale, int bits) {
    const double steps = std::nearbyint(low / static_cast<double>(scale));
    return static_cast<std::int64_t>(std::clamp(steps, -static_cast<double>(StepsOf(bits)), 0.0));
  }

  static Encoding FromRange(const JsonPlace& place, ValueRange range, int bits) {
    range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
    Encoding encoding;
    encoding.scale =
        static_cast<float>((range.high - range.low) / static_cast<double>(StepsOf(bits)));
    if (!(encoding.scale > 0) || !std::isfinite(encoding.scale)) {
      place.Complain("expected min and max with a step above 0 between them in float32");
    }
    encoding.offset = OffsetOf(range.low, encoding.scale, bits);
    encoding.range = range;
    return encoding;
  }

  // 1.0.0.
  void ReadTensor(const JsonPlace& tensor, const std::string& name) {
    const std::string dtype = tensor.At("dtype").Text();
    if (dtype == "FLOAT") {
      AddFloat(tensor, tensor.At("bw"), name);
      return;
    }
    if (dtype != "INT") {
      tensor.At("dtype").Refuse("\"INT\" or \"FLOAT\"");
    }
    const std::string type = tensor.At("enc_type").Text();
    if (type != "PER_TENSOR" && type != "PER_CHANNEL") {
      PassOver(name, fmt::format("it has scales of kind {}", Shown(type)));
      return;
    }
    TableEntry entry{.is_parameter = is_parameter_, .scales = {}, .zero_points = {}};
    entry.bits = static_cast<int>(tensor.At("bw").Integer(2, kMostBits));
    entry.symmetric = tensor.Has("is_sym") && BooleanAt(tensor.At("is_sym"));
    const JsonPlace scales = tensor.At("scale");
    const JsonPlace offsets = tensor.At("offset");
    const std::size_t count = scales.ArraySize();
    if (count == 0 || (type == "PER_TENSOR" && count > 1)) {
      scales.Refuse("one scale, or of PER_CHANNEL one for each channel");
    }
    if (offsets.ArraySize() != count) {
      offsets.Complain(fmt::format("expected {}, as many as there are scales; found {}",
                                   Counted(static_cast<std::int64_t>(count), "offset"),
                                   offsets.ArraySize()));
    }
    std::vector<Encoding> encodings;
    for (std::size_t i = 0; i < count; ++i) {
      Encoding encoding{.scale = ScaleAt(scales.Item(i)),
                        .offset = offsets.Item(i).Integer(-StepsOf(entry.bits), 0)};
      encoding.range = RangeOf(encoding.scale, encoding.offset, entry.bits);
      encodings.push_back(encoding);
    }
    SetEncodings(entry, encodings);
    AddEntry(table_, name, std::move(entry), Place(tensor));
  }

  void AddFloat(const JsonPlace& tensor, const JsonPlace& bits, const std::string& name) {
    TableEntry entry{
        .grid = Grid::kFloat, .is_parameter = is_parameter_, .scales = {}, .zero_points = {}};
    entry.bits = static_cast<int>(bits.Integer(2, kMostBits));
    if (entry.bits != 16 && entry.bits != 32) {
      PassOver(name, fmt::format("it has floats of {} bits", entry.bits));
      return;
    }
    AddEntry(table_, name, std::move(entry), Place(tensor));
  }

  void PassOver(const std::string& name, std::string_view why) {
    table_.notes.push_back(fmt::format("'{}' is passed over: {}", Shown(name), why));
  }

  static std::string Place(const JsonPlace& place) { return std::string(place.file()); }

  RangeTable table_;
  bool is_parameter_ = false;
  std::int64_t positive_offsets_ = 0;
};

// ---- Writing

// What a tensor is written as; empty: it has neither range nor scales.
std::optional<TableEntry> WithScales(TableEntry entry) {
  if (entry.grid == Grid::kFloat || !entry.scales.empty()) {
    return entry;
  }
  if (!entry.range) {
    return std::nullopt;
  }
  const ValueRange range{std::min(entry.range->low, 0.0), std::max(entry.range->high, 0.0)};
  const double step = entry.symmetric ? std::max(-range.low, range.high) / kMostSigned
                                      : (range.high - range.low) / kMostUnsigned;
  const auto scale = static_cast<float>(step);
  if (!(scale > 0) || !std::isfinite(scale)) {
    return std::nullopt;
  }
  entry.bits = 8;
  entry.grid = entry.symmetric ? Grid::kSigned : Grid::kUnsigned;
  entry.scales = {scale};
  const double zero = std::nearbyint(-range.low / static_cast<double>(scale));
  entry.zero_points = {entry.symmetric ? 0
                                       : static_cast<std::int64_t>(std::clamp(zero, 0.0, 255.0))};
  return entry;
}

std::vector<std::int64_t> OffsetsOf(const TableEntry& entry) {
  std::vector<std::int64_t> offsets;
  for (const std::int64_t zero : entry.zero_points) {
    offsets.push_back(-(zero + (entry.grid == Grid::kSigned ? HalfOf(entry.bits) : 0)));
  }
  return offsets;
}

std::string OldTensor(const std::string& name, const TableEntry& entry) {
  std::vector<std::string> encodings;
  if (entry.grid == Grid::kFloat) {
    encodings.push_back(fmt::format(R"({{"bitwidth": {}, "dtype": "float"}})", entry.bits));
  }
  const std::vector<std::int64_t> offsets = OffsetsOf(entry);
  for (std::size_t i = 0; i < offsets.size() && entry.grid != Grid::kFloat; ++i) {
    const ValueRange range = RangeOf(entry.scales[i], offsets[i], entry.bits);
    encodings.push_back(fmt::format(
        R"({{"bitwidth": {}, "dtype": "int", "is_symmetric": "{}", "max": {}, "min": {}, "offset": {}, "scale": {}}})",
        entry.bits, entry.symmetric ? "True" : "False", JsonDouble(range.high),
        JsonDouble(range.low), offsets[i], JsonFloat(entry.scales[i])));
  }
  return fmt::format("    {}: [{}]", JsonText(name), Join(encodings, ",\n      "));
}

std::string NewTensor(const std::string& name, const TableEntry& entry) {
  if (entry.grid == Grid::kFloat) {
    return fmt::format(
        R"(    {{"name": {}, "dtype": "FLOAT", "bw": {}, "enc_type": "PER_TENSOR"}})",
        JsonText(name), entry.bits);
  }
  std::vector<std::string> scales;
  for (const float scale : entry.scales) {
    scales.push_back(JsonFloat(scale));
  }
  return fmt::format(
      R"(    {{"name": {}, "dtype": "INT", "bw": {}, "is_sym": {}, "enc_type": "{}", "scale": [{}], "offset": [{}]}})",
      JsonText(name), entry.bits, entry.symmetric,
      entry.scales.size() > 1 ? "PER_CHANNEL" : "PER_TENSOR", Join(scales, ", "),
      fmt::join(OffsetsOf(entry), ", "));
}

// What stands around the tensors of a section.
struct Style {
  std::string_view version;
  std::string_view open;
  std::string_view close;
  std::string (*tensor)(const std::string&, const TableEntry&);
};

std::string SectionOf(const std::map<std::string, TableEntry, std::less<>>& entries,
                      bool is_parameter, const Style& style) {
  std::vector<std::string> lines;
  for (const auto& [name, entry] : entries) {
    if (entry.is_parameter == is_parameter) {
      lines.push_back(style.tensor(name, entry));
    }
  }
  return lines.empty() ? fmt::format("{}{}", style.open, style.close)
                       : fmt::format("{}\n{}\n  {}", style.open, Join(lines, ",\n"), style.close);
}

}  // namespace

bool IsAimet(const TableText& table) {
  const nlohmann::json* document = table.document;
  return document != nullptr &&
         (document->contains("activation_encodings") || document->contains("param_encodings") ||
          (document->contains("encodings") && document->contains("version")));
}

RangeTable ReadAimet(const TableText& table) {
  const JsonPlace document(*table.document, table.where);
  if (!document.Has("activation_encodings") && !document.Has("param_encodings")) {
    document.At("version").Complain(
        "expected encodings of a version up to 1.0.0, found newer ones; export them as 1.0.0");
  }
  return AimetReader().Read(document);
}

WrittenTable WriteAimet(const RangeTable& table, AimetVersion version) {
  WrittenTable written;
  std::map<std::string, TableEntry, std::less<>> entries;
  for (const auto& [name, entry] : table.entries) {
    if (auto complete = WithScales(entry)) {
      entries.emplace(name, *std::move(complete));
    } else {
      written.notes.push_back(
          fmt::format("'{}' is left out: it has no range, or only 0", Shown(name)));
    }
  }
  const Style style = version == AimetVersion::k061 ? Style{"0.6.1", "{", "}", OldTensor}
                                                    : Style{"1.0.0", "[", "]", NewTensor};
  written.text = fmt::format(
      "{{\n  \"version\": \"{}\",\n  \"activation_encodings\": {},\n  \"param_encodings\": "
      "{}\n}}\n",
      style.version, SectionOf(entries, false, style), SectionOf(entries, true, style));
  return written;
}

}  // namespace halftone
