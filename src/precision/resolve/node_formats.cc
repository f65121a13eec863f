#include "src/precision/resolve/node_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::string_view kToFloat32 = " to float32";

bool IsDType(const std::vector<NumericFormat>& formats) {
  for (const NumericFormat format : formats) {
    if (!format.is_dtype()) {
      return false;
    }
  }
  return true;
}

void ToDTypes(std::vector<NumericFormat>& formats) {
  for (NumericFormat& format : formats) {
    format = format.dtype();
  }
}

void Give(const Node& node, NumericFormat format, NumericFormat& operand) {
  if (operand != format.dtype()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("node '{}' cannot compute in {}, whose values are {}: its options give "
                            "it {}",
                            node.name, NameOf(format), NameOf(format.dtype()), NameOf(operand)));
  }
  operand = format;
}

}  // namespace

bool ReadsAsResult(const Node& node, std::size_t input) {
  return IsFusedOperand(InfoOf(node.op), input);
}

bool FollowsModes(std::string_view signature, std::size_t index, DType original) {
  const auto item = SignatureItemAt(signature, index);
  return item && (item->letter == 'T' || item->letter == 'Y') && IsTunable(original);
}

std::map<std::string, std::string> NodeFormatsOf(const Graph& graph, const PrecisionPlan& plan) {
  std::map<std::string, std::string> formats;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const NodePrecision& precision = plan.nodes[n];
    if (IsDType(precision.inputs) && IsDType(precision.outputs)) {
      continue;
    }
    const bool wide = IsDType(precision.outputs);
    const NumericFormat format = precision.compute_format();
    // Results of a dynamic format are always float32.
    formats.emplace(
        graph.nodes[n].name,
        fmt::format("{}{}", NameOf(format), wide && !format.is_dynamic() ? kToFloat32 : ""));
  }
  return formats;
}

bool UsesScales(const NodePrecision& precision) {
  return std::ranges::any_of(precision.inputs, &NumericFormat::is_scaled) ||
         std::ranges::any_of(precision.outputs, &NumericFormat::is_scaled);
}

bool TakesScales(const NodePrecision& precision, const SharedQuantization& quantization) {
  return UsesScales(precision) ||
         (precision.reads_dynamic() && quantization &&
          (!quantization->weights.empty() || !quantization->per_channel_weights));
}

PrecisionPlan InDTypes(const PrecisionPlan& plan) {
  PrecisionPlan in_dtypes = plan;
  in_dtypes.quantization = {};
  for (NodePrecision& node : in_dtypes.nodes) {
    ToDTypes(node.inputs);
    ToDTypes(node.outputs);
  }
  return in_dtypes;
}

void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision) {
  const bool to_float32 = text.ends_with(kToFloat32);
  const std::string_view name = to_float32 ? text.substr(0, text.size() - kToFloat32.size()) : text;
  const auto format = NumericFormat::Named(name);
  if (!format || !IsReduced(*format)) {
    throw Error(ErrorKind::kUsage, fmt::format("node '{}': '{}' is no number format that operators "
                                               "compute in; this halftone does not know it",
                                               node.name, name));
  }
  const OpInfo& info = InfoOf(node.op);
  const bool wide = to_float32 || format->is_dynamic();
  if (format->is_dynamic() && info.outputs.find('Y') == std::string_view::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("node '{}' is {}: only matrix operators compute in {}; leave its line "
                            "out",
                            node.name, info.name, ShownNameOf(*format)));
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    // One that is left out repeats the first, as in every plan.
    const std::size_t index = node.inputs[i] == kNoValue ? 0 : i;
    const DType original = graph.value(node.inputs[index]).type.dtype;
    const bool as_result = (ReadsAsResult(node, index) && IsTunable(original)) ||
                           (FollowsModes(info.inputs, index, original) &&
                            SignatureItemAt(info.inputs, index)->letter == 'Y');
    if (as_result ? !wide : FollowsModes(info.inputs, index, original)) {
      Give(node, *format, precision.inputs[i]);
    }
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::size_t index = node.outputs[i] == kNoValue ? 0 : i;
    const bool follows =
        FollowsModes(info.outputs, index, graph.value(node.outputs[index]).type.dtype);
    const bool as_result = follows && SignatureItemAt(info.outputs, index)->letter == 'Y';
    if (follows && !(as_result && wide)) {
      Give(node, *format, precision.outputs[i]);
    }
  }
}

}  // namespace halftone
