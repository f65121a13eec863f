#include "src/export/amct_record.h"

#include <fmt/format.h>

#include <utility>

#include "src/export/encodings.h"
#include "src/quantization/files/json_place.h"
#include "src/quantization/files/proto_text.h"

namespace halftone {
namespace {

constexpr std::int64_t kZeroOfSigned = 128;  // of uint8, as int8 counts

using Grid = TableEntry::Grid;

// The entry of an operand on a grid; null: it has none.
const TableEntry* EntryOf(const RangeTable& table, const Graph& network, const Node& node,
                          std::size_t operand, Grid grid) {
  if (operand >= node.inputs.size() || node.inputs[operand] == kNoValue) {
    return nullptr;
  }
  const auto found = table.entries.find(network.value(node.inputs[operand]).name);
  return found != table.entries.end() && found->second.grid == grid ? &found->second : nullptr;
}

}  // namespace

ExportedText WriteAmctRecord(const Graph& network, const PrecisionPlan& plan) {
  PlanEncodings encodings = EncodingsOf(network, plan);
  ExportedText file{.losses = std::move(encodings.losses)};
  for (const Node& node : network.nodes) {
    const TableEntry* data = EntryOf(encodings.table, network, node, 0, Grid::kUnsigned);
    const TableEntry* weights = EntryOf(encodings.table, network, node, 1, Grid::kSigned);
    if (data == nullptr || weights == nullptr || data->scales.size() != 1) {
      continue;
    }
    file.text += fmt::format(
        "record {{\n  key: {}\n  value {{\n    scale_d: {}\n    offset_d: {}\n",
        ProtoString(node.name), JsonFloat(data->scales[0]), data->zero_points[0] - kZeroOfSigned);
    for (const float scale : weights->scales) {
      file.text += fmt::format("    scale_w: {}\n", JsonFloat(scale));
    }
    for (std::size_t i = 0; i < weights->scales.size(); ++i) {
      file.text += "    offset_w: 0\n";
    }
    file.text += "  }\n}\n";
  }
  return file;
}

}  // namespace halftone
