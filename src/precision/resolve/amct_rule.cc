#include "src/precision/resolve/amct_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/base/error.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/files/compression_config.h"

namespace halftone {
namespace {

bool AsksForHighPrecision(const std::map<std::string, ImplMode>& modes) {
  return std::ranges::any_of(
      modes, [](const auto& line) { return line.second == ImplMode::kHighPrecision; });
}

// The mode by its documented values: the default of a target may be any of them.
std::string RefusalOf(const Graph& graph, const PrecisionOptions& options,
                      const PrecisionMode& mode) {
  const bool high = AsksForHighPrecision(options.impl_mode_by_node) ||
                    AsksForHighPrecision(options.impl_mode_by_type);
  const bool by_v2 = !options.precision_mode_v2.empty();
  return RefusesCalibration({.precision_mode = by_v2 ? "" : mode.name,
                             .precision_mode_v2 = by_v2 ? mode.v2_name : "",
                             .op_precision_mode = high ? "node=high_precision" : "",
                             .has_float32 = std::ranges::any_of(graph.values, [](const Value& v) {
                               return v.type.dtype == DType::kFloat32;
                             })});
}

}  // namespace

void RequireCalibration(const Graph& graph, const PrecisionOptions& options,
                        const PrecisionMode& mode) {
  if (std::ranges::none_of(options.node_formats, [](const auto& of_node) {
        return of_node.second == kQuantizedInFloat16;
      })) {
    return;
  }
  std::string refusal = RefusalOf(graph, options, mode);
  if (refusal.empty() && mode.to_float16 == Lowering::kNever) {
    refusal =
        fmt::format("layers in 8 bits make float16, to which {} lowers nothing", mode.label());
  }
  if (!refusal.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}; choose a mode of float16, such as force_fp16 or "
                            "allow_mix_precision, or leave the layers out of 8 bits",
                            refusal));
  }
}

}  // namespace halftone
