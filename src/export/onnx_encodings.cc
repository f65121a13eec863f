#include "src/export/onnx_encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/export/encodings.h"
#include "src/quantization/files/json_place.h"

namespace halftone {
namespace {

std::string DTypeOf(const TableEntry& entry) {
  return fmt::format("{}int{}", entry.grid == TableEntry::Grid::kUnsigned ? "u" : "", entry.bits);
}

// One scale, or a list with its axis. A zero point of 0 is not written where the grid says it.
std::string ScalesOf(const TableEntry& entry, const int* axis) {
  if (axis == nullptr || entry.scales.size() == 1) {
    const std::string scale = JsonFloat(entry.scales.at(0));
    return entry.grid == TableEntry::Grid::kUnsigned
               ? fmt::format("\"y_scale\": {}, \"y_zero_point\": {}", scale,
                             entry.zero_points.at(0))
               : fmt::format("\"y_scale\": {}", scale);
  }
  std::vector<std::string> scales;
  for (const float scale : entry.scales) {
    scales.push_back(JsonFloat(scale));
  }
  return fmt::format("\"y_scale\": [{}], \"axis\": {}", Join(scales, ", "), *axis);
}

}  // namespace

ExportedText WriteOnnxEncodings(const Graph& network, const PrecisionPlan& plan) {
  PlanEncodings encodings = EncodingsOf(network, plan);
  std::ranges::move(encodings.folded, std::back_inserter(encodings.losses));
  std::vector<std::string> lines;
  std::int64_t half = 0;
  std::int64_t full = 0;
  for (const auto& [name, entry] : encodings.table.entries) {
    if (entry.grid == TableEntry::Grid::kFloat) {
      ++(entry.bits == 16 ? half : full);
      continue;
    }
    const auto axis = encodings.axes.find(name);
    lines.push_back(fmt::format(
        R"(    {{"name": {}, "output_dtype": "{}", {}}})", JsonText(name), DTypeOf(entry),
        ScalesOf(entry, axis == encodings.axes.end() ? nullptr : &axis->second)));
  }
  if (lines.empty()) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no tensor in 8 bits, and encodings 2.0.0 have entries for those "
                "alone; write --to=encodings:flavour=1.0.0");
  }
  const int usual = half >= full ? 16 : 32;
  for (const auto& [name, entry] : encodings.table.entries) {
    if (entry.grid == TableEntry::Grid::kFloat && entry.bits != usual) {
      encodings.losses.push_back(
          {name, fmt::format("float of {} bits", entry.bits),
           fmt::format("float of {} bits", usual),
           fmt::format("tensors in float of {} bits: encodings 2.0.0 have no entry for floats, and "
                       "--float_bitwidth={} is for all",
                       entry.bits, usual)});
    }
  }
  return {.text = fmt::format("{{\n  \"version\": \"2.0.0\",\n  \"encodings\": [\n{}\n  ]\n}}\n",
                              Join(lines, ",\n")),
          .losses = std::move(encodings.losses),
          .flags = fmt::format("--float_bitwidth {}", usual)};
}

}  // namespace halftone
