#include "search/space/node_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/ir/ir_type.h"
#include "src/ir/op_table.h"
#include "src/precision/resolve/node_formats.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

NumericFormat WantedFormat(std::string_view signature, std::size_t index, DType original,
                           const Choice& choice) {
  if (!FollowsModes(signature, index, original)) {
    return original;
  }
  return SignatureItemAt(signature, index)->letter == 'Y' ? choice.output_format() : choice.format;
}

std::vector<NumericFormat> WantedInputs(const Graph& graph, const Node& node,
                                        const Choice& choice) {
  const OpInfo& info = InfoOf(node.op);
  std::vector<NumericFormat> wanted;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    // An absent operand repeats the first, as in NodePrecision.
    const std::size_t index = node.inputs[i] == kNoValue ? 0 : i;
    const DType original = graph.value(node.inputs[index]).type.dtype;
    wanted.push_back(ReadsAsResult(node, index) && IsTunable(original)
                         ? choice.output_format()
                         : WantedFormat(info.inputs, index, original, choice));
  }
  return wanted;
}

std::vector<NumericFormat> WantedOutputs(const Graph& graph, const Node& node,
                                         const Choice& choice) {
  std::vector<NumericFormat> wanted;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::size_t index = node.outputs[i] == kNoValue ? 0 : i;
    wanted.push_back(WantedFormat(InfoOf(node.op).outputs, index,
                                  graph.value(node.outputs[index]).type.dtype, choice));
  }
  return wanted;
}

// Kernels compute in the dtypes of formats, so these are what a library has.
bool HasColumn(const LibraryOp& op, std::size_t column, const Node& node,
               const NodePrecision& wanted) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto* dtypes = op.InputColumns(i);
    if (node.inputs[i] != kNoValue && !ReadsAsResult(node, i) &&
        (dtypes == nullptr || (*dtypes)[column] != wanted.inputs[i].dtype())) {
      return false;
    }
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const auto* dtypes = op.OutputColumns(i);
    if (node.outputs[i] != kNoValue &&
        (dtypes == nullptr || (*dtypes)[column] != wanted.outputs[i].dtype())) {
      return false;
    }
  }
  return true;
}

// Both implementations where the dtype has them, the most exact first.
std::vector<ImplMode> ModesOf(const LibraryOp& op, DType dtype) {
  const auto offered = op.impl_modes.find(dtype);
  std::vector<ImplMode> modes;
  if (offered != op.impl_modes.end() && offered->second.size() > 1) {
    for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
      if (std::ranges::find(offered->second, mode) != offered->second.end()) {
        modes.push_back(mode);
      }
    }
    if (modes.empty()) {
      modes.push_back(offered->second.front());
    }
  }
  return modes.empty() ? std::vector{ImplMode::kDefault} : modes;
}

// An 8-bit product of the kind may have a float32 result.
bool MayBeWide(const TargetSpec& target, OpKind op) {
  return target.has_wide_int8 &&
         (target.destination == nullptr || IsWideOn(*target.destination, op));
}

bool HasWideResult(const Node& node) {
  return InfoOf(node.op).outputs.find('Y') != std::string_view::npos;
}

// Choices of the format in every mode, narrow ones before wide ones.
std::vector<Choice> FormsOf(const Node& node, const TargetSpec& target, NumericFormat format,
                            std::span<const ImplMode> modes) {
  const bool may_be_wide = format.is_scaled() ? MayBeWide(target, node.op)
                                              : format != DType::kFloat32 && !format.is_dynamic();
  std::vector<Choice> forms;
  for (const bool wide : {false, true}) {
    if (wide && !(may_be_wide && HasWideResult(node))) {
      continue;
    }
    for (const ImplMode mode : modes) {
      forms.push_back({format, mode, wide});
    }
  }
  return forms;
}

}  // namespace

std::string NameOf(const Choice& choice) {
  return fmt::format(
      "{}{}{}", ShownNameOf(choice.format), choice.wide ? " to float32" : "",
      choice.mode == ImplMode::kDefault ? "" : fmt::format(" {}", NameOf(choice.mode)));
}

std::optional<NodePrecision> NodeFormOf(const Graph& graph, const Node& node,
                                        const TargetSpec& target, const Choice& choice) {
  const auto op = target.ai_core.find(IrTypeOf(graph, node));
  if (op == target.ai_core.end()) {
    return std::nullopt;
  }
  NodePrecision form{.engine = Engine::kAiCore,
                     .inputs = WantedInputs(graph, node, choice),
                     .outputs = WantedOutputs(graph, node, choice),
                     .impl_mode = choice.mode,
                     .reason = "chosen by the search"};
  for (std::size_t column = 0; column < op->second.column_count(); ++column) {
    if (HasColumn(op->second, column, node, form)) {
      return form;
    }
  }
  return std::nullopt;
}

std::vector<Choice> ChoicesOf(const Graph& graph, const Node& node, const TargetSpec& target,
                              std::span<const NumericFormat> formats) {
  const auto op = target.ai_core.find(IrTypeOf(graph, node));
  std::vector<Choice> choices;
  if (op == target.ai_core.end()) {
    return choices;
  }
  std::vector<NumericFormat> all = {DType::kFloat32};
  all.insert(all.end(), formats.begin(), formats.end());
  for (const NumericFormat format : all) {
    if (format.is_dynamic() && !HasWideResult(node)) {
      continue;
    }
    std::vector<ImplMode> modes = ModesOf(op->second, format.dtype());
    if (format.has_scale()) {
      modes.resize(1);  // integers have one implementation
    }
    for (const Choice& choice : FormsOf(node, target, format, modes)) {
      if (NodeFormOf(graph, node, target, choice)) {
        choices.push_back(choice);
      }
    }
  }
  return choices.empty() || choices.front().format != DType::kFloat32 ? std::vector<Choice>{}
                                                                      : choices;
}

}  // namespace halftone
