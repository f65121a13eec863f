#include "src/precision/files/option_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/files/config_lines.h"
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/files/mixlist.h"
#include "src/precision/files/option_text.h"
#include "src/quantization/files/quantization_file.h"

namespace halftone {
namespace {

using Warnings = std::vector<std::string>;
using Comment = std::vector<std::string>;

constexpr std::string_view kNoType = ", \t\r\n";  // what a type in a list cannot have

// An option whose text is the field.
template <std::string PrecisionOptions::*kField>
void ReadText(const OptionText& value, PrecisionOptions& options, Warnings& /*warnings*/) {
  options.*kField = value.text;
}

// Values stand in a comment line and in a shell command.
template <std::string PrecisionOptions::*kField>
std::optional<std::string> WriteText(const PrecisionOptions& options, const Comment& /*comment*/) {
  const std::string& value = options.*kField;
  return value.empty() ? std::nullopt : std::optional(value);
}

void ReadMixlist(const OptionText& value, PrecisionOptions& options, Warnings& /*warnings*/) {
  options.modify_mixlist = ParseMixlist(value.text, value.where);
}

std::optional<std::string> WriteMixlist(const PrecisionOptions& options,
                                        const Comment& /*comment*/) {
  return options.modify_mixlist ? std::optional(FormatMixlist(*options.modify_mixlist))
                                : std::nullopt;
}

void WarnIfEmpty(bool empty, std::string_view option, const OptionText& value, Warnings& warnings) {
  if (empty) {
    warnings.push_back(
        fmt::format("{}: expected node names or lines OpType::<type>, found none; {} changes "
                    "nothing",
                    value.where, option));
  }
}

void ReadKeep(const OptionText& value, PrecisionOptions& options, Warnings& warnings) {
  options.keep_dtype = ParseKeepDtype(value.text, value.where);
  WarnIfEmpty(options.keep_dtype.empty(), "--keep_dtype", value, warnings);
}

std::optional<std::string> WriteKeep(const PrecisionOptions& options, const Comment& comment) {
  return options.keep_dtype.empty() ? std::nullopt
                                    : std::optional(FormatKeepDtype(options.keep_dtype, comment));
}

void ReadCustom(const OptionText& value, PrecisionOptions& options, Warnings& warnings) {
  CustomDTypesFile file = ParseCustomDTypes(value.text, value.where);
  options.customize_dtypes = std::move(file.entries);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  WarnIfEmpty(options.customize_dtypes.empty(), "--customize_dtypes", value, warnings);
}

std::optional<std::string> WriteCustom(const PrecisionOptions& options,
                                       const Comment& /*comment*/) {
  return options.customize_dtypes.empty()
             ? std::nullopt
             : std::optional(FormatCustomDTypes(options.customize_dtypes));
}

void ReadImplModes(const OptionText& value, PrecisionOptions& options, Warnings& warnings) {
  ImplModeFile file = ParseImplModeFile(value.text, value.where);
  options.op_precision_given = true;
  options.impl_mode_by_type = std::move(file.by_type);
  options.impl_mode_by_node = std::move(file.by_node);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
}

std::optional<std::string> WriteImplModes(const PrecisionOptions& options, const Comment& comment) {
  if (!options.op_precision_given && options.impl_mode_by_node.empty() &&
      options.impl_mode_by_type.empty()) {
    return std::nullopt;
  }
  return FormatImplModeFile(
      {.by_type = options.impl_mode_by_type, .by_node = options.impl_mode_by_node, .warnings = {}},
      comment);
}

// Words of the file for formats of a node: a file says int8, plans have the name of the format.
struct FormatWords {
  std::string_view in_file;
  std::string_view in_plans;
};

constexpr FormatWords kQuantizedFormats[] = {{"int8", "qint8"},
                                             {"int8 to float32", "qint8 to float32"},
                                             {"int8 to float16", "qint8 to float16"},
                                             {"dynamic int8", "dint8"}};

void ReadQuantizationFile(const OptionText& value, PrecisionOptions& options,
                          Warnings& /*warnings*/) {
  QuantizationFile file = ParseQuantization(value.text, value.where);
  // Operators in dynamic int8 need none.
  if (file.operators.empty() || file.quantization != Quantization()) {
    options.quantization = SharedQuantization(std::move(file.quantization), std::move(file.source));
  }
  for (const auto& [node, format] : file.operators) {
    const auto* row = std::ranges::find(kQuantizedFormats, format, &FormatWords::in_file);
    if (row == std::end(kQuantizedFormats)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected 'int8', 'int8 to float32', 'int8 to float16' or "
                              "'dynamic int8' for operator {}, found {}",
                              value.where, QuotedLine(node), QuotedLine(format)));
    }
    options.node_formats[node] = row->in_plans;
  }
}

std::optional<std::string> WriteQuantizationFile(const PrecisionOptions& options,
                                                 const Comment& /*comment*/) {
  QuantizationFile file;
  if (options.quantization) {
    file.quantization = *options.quantization;
    file.source = options.quantization.source();
  }
  for (const auto& [node, format] : options.node_formats) {
    const auto* row = std::ranges::find(kQuantizedFormats, format, &FormatWords::in_plans);
    if (row != std::end(kQuantizedFormats)) {
      file.operators[node] = row->in_file;
    }
  }
  return options.quantization || !file.operators.empty() ? std::optional(WriteQuantization(file))
                                                         : std::nullopt;
}

// The items of a list option. Separators that separate nothing and repeated items change nothing,
// so they are warned of; a list of nothing is an error.
std::vector<std::string> ReadItems(const OptionText& value, char separator, Warnings& warnings) {
  std::vector<std::string> items;
  bool has_empty = false;
  for (const std::string_view text : Split(value.text, separator)) {
    if (text.empty()) {
      has_empty = true;
    } else if (std::find(items.begin(), items.end(), text) != items.end()) {
      warnings.push_back(fmt::format("{}={}: '{}' is given twice", value.where, value.text, text));
    } else {
      items.emplace_back(text);
    }
  }
  if (items.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: {}={}: expected names separated by '{}', found none",
                            value.where, value.text, separator));
  }
  if (has_empty) {
    warnings.push_back(
        fmt::format("{}={}: a '{}' that separates nothing", value.where, value.text, separator));
  }
  return items;
}

void ReadTypeList(const OptionText& value, PrecisionOptions& options, Warnings& warnings) {
  RefuseBlanks(value);
  options.optypelist_for_implmode = ReadItems(value, ',', warnings);
}

std::optional<std::string> WriteTypeList(const PrecisionOptions& options,
                                         const Comment& /*comment*/) {
  for (const std::string& type : options.optypelist_for_implmode) {
    if (type.empty() || type.find_first_of(kNoType) != std::string::npos) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--optypelist_for_implmode: expected operator types, found '{}'", type));
    }
  }
  return options.optypelist_for_implmode.empty()
             ? std::nullopt
             : std::optional(Join(options.optypelist_for_implmode, ","));
}

void ReadInputNodes(const OptionText& value, PrecisionOptions& options, Warnings& warnings) {
  options.input_fp16_nodes = ReadItems(value, ';', warnings);
}

std::optional<std::string> WriteInputNodes(const PrecisionOptions& options,
                                           const Comment& /*comment*/) {
  for (const std::string& name : options.input_fp16_nodes) {
    if (name.empty() || name.find(';') != std::string::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--input_fp16_nodes cannot express the input name '{}'", name));
    }
  }
  return options.input_fp16_nodes.empty() ? std::nullopt
                                          : std::optional(Join(options.input_fp16_nodes, ";"));
}

using A = PrecisionArguments;
using O = PrecisionOptions;

constexpr PrecisionOptionRow kOptions[] = {
    {"precision_mode", &A::precision_mode, "",
     "force_fp16 (default), allow_mix_precision, ...; see docs/reference/options.md",
     ReadText<&O::precision_mode>, WriteText<&O::precision_mode>},
    {"precision_mode_v2", &A::precision_mode_v2, "",
     "fp16, mixed_float16, origin, ...; excludes --precision_mode", ReadText<&O::precision_mode_v2>,
     WriteText<&O::precision_mode_v2>},
    {"modify_mixlist", &A::modify_mixlist, "modify_mixlist.json",
     "JSON file that moves operator types between the white, black and gray lists of the mixed "
     "modes",
     ReadMixlist, WriteMixlist},
    {"keep_dtype", &A::keep_dtype, "keep_dtype.cfg",
     "File of node names and OpType::<type> lines that keep their dtype", ReadKeep, WriteKeep},
    {"customize_dtypes", &A::customize_dtypes, "customize_dtypes.cfg",
     "File of node names and OpType::<type> lines with the dtypes of their inputs and outputs; "
     "wins "
     "over --keep_dtype and the mode",
     ReadCustom, WriteCustom},
    {"quantization", &A::quantization, "quantization.json",
     "JSON file of the operators that compute in 8 bits, and of the scales of their tensors",
     ReadQuantizationFile, WriteQuantizationFile},
    {"op_precision_mode", &A::op_precision_mode, "op_precision.ini",
     "ini file of implementation modes: [ByOpType], [ByNodeName]", ReadImplModes, WriteImplModes},
    {"op_select_implmode", &A::op_select_implmode, "",
     "high_precision, high_performance (default), high_precision_for_all, "
     "high_performance_for_all",
     ReadText<&O::op_select_implmode>, WriteText<&O::op_select_implmode>},
    {"optypelist_for_implmode", &A::optypelist_for_implmode, "",
     "Comma-separated IR types for --op_select_implmode", ReadTypeList, WriteTypeList},
    {"allow_hf32", &A::allow_hf32, "",
     "true, false, or two digits (convolutions, matrix products): float32 matrix operators may "
     "compute in HF32 where the target has it; default 10",
     ReadText<&O::allow_hf32>, WriteText<&O::allow_hf32>},
    {"output_type", &A::output_type, "",
     "Type of the network's outputs: FP32, FP16, UINT8, INT8, or \"node:index:type;...\"",
     ReadText<&O::output_type>, WriteText<&O::output_type>},
    {"input_fp16_nodes", &A::input_fp16_nodes, "",
     "Inputs of the network that become float16: \"name1;name2\"", ReadInputNodes, WriteInputNodes},
    {"is_weight_clip", &A::is_weight_clip, "",
     "1 (default): weights beyond the float16 range become its largest value; 0: infinity",
     ReadText<&O::is_weight_clip>, WriteText<&O::is_weight_clip>},
    {"status_check", &A::status_check, "",
     "1: report every operator that overflowed; 0 (default): the first ones",
     ReadText<&O::status_check>, WriteText<&O::status_check>},
    {"graph_run_mode", &A::graph_run_mode, "",
     "0 (default): inference; 1: training, which has other default and legal modes",
     ReadText<&O::graph_run_mode>, WriteText<&O::graph_run_mode>},
};

}  // namespace

std::span<const PrecisionOptionRow> AllPrecisionOptions() {
  return kOptions;
}

}  // namespace halftone
