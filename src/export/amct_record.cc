#include "src/export/amct_record.h"

#include <fmt/format.h>

#include <utility>

#include "src/exec/integer_steps.h"
#include "src/export/encodings.h"
#include "src/quantization/files/json_place.h"
#include "src/quantization/files/proto_text.h"

namespace halftone {
namespace {

constexpr std::int64_t kZeroOfSigned = 128;  // of uint8, as int8 counts

}  // namespace

ExportedText WriteAmctRecord(const Graph& network, const PrecisionPlan& plan) {
  PlanEncodings encodings = EncodingsOf(network, plan);
  ExportedText file{.losses = std::move(encodings.losses)};
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const Node& node = network.nodes[n];
    const auto weights = encodings.products.find(node.name);
    const bool is_pool = node.op == OpKind::kAveragePool && plan.nodes[n].inputs.at(0).is_scaled();
    if (weights == encodings.products.end() && !is_pool) {
      continue;
    }
    // A layer without a name has no key (docs/guide/exporting.md).
    const std::string& name = node.origins[0].name;
    if (name.empty()) {
      continue;
    }
    const ActivationScale data = ScaleOf(network, node.inputs.at(0), *plan.quantization);
    file.text +=
        fmt::format("record {{\n  key: {}\n  value {{\n    scale_d: {}\n    offset_d: {}\n",
                    ProtoString(name), JsonFloat(data.scale), data.zero_point - kZeroOfSigned);
    if (!is_pool) {
      for (const float scale : weights->second.scales) {
        file.text += fmt::format("    scale_w: {}\n", JsonFloat(scale));
      }
      for (const std::int32_t zero : weights->second.zero_points) {
        file.text += fmt::format("    offset_w: {}\n", zero);
      }
    }
    file.text += "  }\n}\n";
  }
  return file;
}

}  // namespace halftone
