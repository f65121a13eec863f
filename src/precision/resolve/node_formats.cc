#include "src/precision/resolve/node_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Words behind a format whose results have a dtype. The operands then have the dtype of the format
// or, in a scaled format, that of the results.
struct ResultWords {
  std::string_view text;
  DType dtype;
};

constexpr ResultWords kResultWords[] = {{" to float32", DType::kFloat32},
                                        {" to float16", DType::kFloat16}};

const ResultWords* WordsBehind(std::string_view text) {
  const auto* row = std::ranges::find_if(
      kResultWords, [&](const ResultWords& words) { return text.ends_with(words.text); });
  return row == std::end(kResultWords) ? nullptr : row;
}

bool IsDType(const std::vector<NumericFormat>& formats) {
  for (const NumericFormat format : formats) {
    if (!format.is_dtype()) {
      return false;
    }
  }
  return true;
}

// Whether a node in a scaled format reads and makes float16 by its options.
bool IsInFloat16(const NodePrecision& precision) {
  return std::ranges::any_of(precision.inputs, &NumericFormat::is_scaled) &&
         !precision.outputs.empty() && precision.outputs[0] == DType::kFloat16;
}

void ToDTypes(std::vector<NumericFormat>& formats, bool in_float16) {
  for (NumericFormat& format : formats) {
    format = in_float16 && format.is_scaled() ? DType::kFloat16 : format.dtype();
  }
}

[[noreturn]] void RefuseFormat(const Node& node, NumericFormat format, DType expected,
                               NumericFormat found) {
  throw Error(ErrorKind::kUsage,
              fmt::format("node '{}' cannot compute in {}, whose values are {}: its options give "
                          "it {}",
                          node.name, NameOf(format), NameOf(expected), NameOf(found)));
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
    const ResultWords& words = kResultWords[IsInFloat16(precision) ? 1 : 0];
    formats.emplace(
        graph.nodes[n].name,
        fmt::format("{}{}", NameOf(format), wide && !format.is_dynamic() ? words.text : ""));
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
    const bool in_float16 = IsInFloat16(node);
    ToDTypes(node.inputs, in_float16);
    ToDTypes(node.outputs, in_float16);
  }
  return in_dtypes;
}

void ApplyFormat(const Graph& graph, const Node& node, std::string_view text,
                 NodePrecision& precision) {
  const ResultWords* const wide = WordsBehind(text);
  const std::string_view name =
      wide == nullptr ? text : text.substr(0, text.size() - wide->text.size());
  const auto format = NumericFormat::Named(name);
  const bool in_float16 = wide != nullptr && wide->dtype == DType::kFloat16;
  if (!format || !IsReduced(*format) || (in_float16 && !format->is_scaled())) {
    throw Error(ErrorKind::kUsage, fmt::format("node '{}': '{}' is no number format that operators "
                                               "compute in; this halftone does not know it",
                                               node.name, in_float16 ? text : name));
  }
  const DType expected = in_float16 ? DType::kFloat16 : format->dtype();
  const auto give = [&](NumericFormat& tensor, bool keeps) {
    if (tensor != expected && (!keeps || in_float16)) {
      RefuseFormat(node, *format, expected, tensor);
    }
    if (!keeps) {
      tensor = *format;
    }
  };
  const OpInfo& info = InfoOf(node.op);
  const bool has_wide_item = info.outputs.find('Y') != std::string_view::npos;
  if (format->is_dynamic() && !has_wide_item) {
    throw Error(ErrorKind::kUsage,
                fmt::format("node '{}' is {}: only matrix operators compute in {}; leave its line "
                            "out",
                            node.name, info.name, ShownNameOf(*format)));
  }
  // Results of a dynamic format are float32.
  const bool keeps_result = wide != nullptr || format->is_dynamic();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    // One that is left out repeats the first, as in every plan.
    const std::size_t index = node.inputs[i] == kNoValue ? 0 : i;
    const DType original = graph.value(node.inputs[index]).type.dtype;
    const bool as_result = (ReadsAsResult(node, index) && IsTunable(original)) ||
                           (FollowsModes(info.inputs, index, original) &&
                            SignatureItemAt(info.inputs, index)->letter == 'Y');
    if (as_result || FollowsModes(info.inputs, index, original)) {
      give(precision.inputs[i], as_result && keeps_result);
    }
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::size_t index = node.outputs[i] == kNoValue ? 0 : i;
    if (FollowsModes(info.outputs, index, graph.value(node.outputs[index]).type.dtype)) {
      const bool as_result = SignatureItemAt(info.outputs, index)->letter == 'Y';
      give(precision.outputs[i], keeps_result && (as_result || (in_float16 && !has_wide_item)));
    }
  }
}

}  // namespace halftone
