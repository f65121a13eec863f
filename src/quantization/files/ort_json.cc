// calibration.json of ONNX Runtime, in its older form, {"tensor": [low, high]}, and the newer one,
// {"tensor": {"lowest": ..., "highest": ..., "CLS": "TensorData"}}, whose numbers are arrays,
// {"data": 1.5, "dtype": "float32", "CLS": "numpy.array"}; that of one number for each channel
// holds lists. The newer form may stand in {"CLS": "TensorsData", "data": {...}}.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

using Pick = const double& (*)(const double&, const double&);

// The least or largest of a number, an array of numpy, or a list of such.
double NumberAt(const JsonPlace& place, Pick pick) {
  if (place.value().is_object()) {
    return NumberAt(place.At("data"), pick);
  }
  if (!place.value().is_array()) {
    return place.Number();
  }
  if (place.ArraySize() == 0) {
    place.Refuse("a number or a list of numbers");
  }
  double number = NumberAt(place.Item(0), pick);
  for (std::size_t i = 1; i < place.ArraySize(); ++i) {
    number = pick(number, NumberAt(place.Item(i), pick));
  }
  return number;
}

ValueRange RangeAt(const JsonPlace& place) {
  const bool pair = place.value().is_array();
  if (pair && place.ArraySize() != 2) {
    place.Refuse("the lowest and the highest value");
  }
  const ValueRange range{NumberAt(pair ? place.Item(0) : place.At("lowest"), std::min<double>),
                         NumberAt(pair ? place.Item(1) : place.At("highest"), std::max<double>)};
  if (range.low > range.high) {
    place.Complain(fmt::format("expected the lowest value not above the highest, found {} and {}",
                               range.low, range.high));
  }
  return range;
}

// Of the newer form, without a range: that of 8-bit floats has a mean and a deviation.
bool HasNoRange(const nlohmann::json& value) {
  return value.is_object() && !value.contains("lowest") && !value.contains("highest");
}

RangeTable TableAt(const JsonPlace& place) {
  RangeTable table;
  place.RequireObject();
  for (const auto& [name, value] : place.value().items()) {
    if (name == "CLS" && value.is_string()) {
      continue;
    }
    const JsonPlace tensor = place.At(name);
    if (HasNoRange(value)) {
      table.notes.push_back(
          fmt::format("'{}' is passed over: it has no lowest and highest value", Shown(name)));
      continue;
    }
    if (!value.is_array() && !value.is_object()) {
      tensor.Refuse("the lowest and the highest value");
    }
    TableEntry entry;
    entry.range = RangeAt(tensor);
    table.entries[name] = std::move(entry);
  }
  return table;
}

bool IsWrapped(const nlohmann::json& document) {
  const auto name = document.find("CLS");
  return name != document.end() && *name == "TensorsData" && document.contains("data");
}

}  // namespace

bool IsOrtJson(const TableText& table) {
  return table.document != nullptr && table.document->is_object();
}

RangeTable ReadOrtJson(const TableText& table) {
  const JsonPlace document(*table.document, table.where);
  return IsWrapped(*table.document) ? TableAt(document.At("data")) : TableAt(document);
}

WrittenTable WriteOrtJson(const RangeTable& table) {
  WrittenTable written;
  std::vector<std::string> lines;
  for (const auto& [name, entry] : table.entries) {
    std::string lost = LostInMagnitude(name, entry);
    if (lost.empty() && !entry.range) {
      lost = fmt::format("'{}' is left out: it has no range", Shown(name));
    }
    if (!lost.empty()) {
      written.notes.push_back(std::move(lost));
      continue;
    }
    lines.push_back(fmt::format("{}: [{}, {}]", JsonText(name), JsonDouble(entry.range->low),
                                JsonDouble(entry.range->high)));
  }
  written.text = "{" + Join(lines, ",\n ") + "}\n";
  return written;
}

}  // namespace halftone
