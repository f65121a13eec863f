#include "search/trial/candidate.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "src/base/text.h"

namespace halftone {
namespace {

// "high_precision for 3 types, high_performance for Conv2D"; `noun` is what the keys are.
std::string ModesText(const std::map<std::string, ImplMode>& modes, std::string_view noun) {
  std::map<ImplMode, std::vector<std::string>> names_by_mode;
  for (const auto& [name, mode] : modes) {
    names_by_mode[mode].push_back(name);
  }
  std::string text;
  for (const auto& [mode, names] : names_by_mode) {
    text +=
        fmt::format(", {} for {}", NameOf(mode),
                    names.size() == 1 ? Shown(names.front()) : Counted(std::ssize(names), noun));
  }
  return text;
}

std::int64_t ChangeCount(const Mixlist& mixlist) {
  std::int64_t count = 0;
  for (const MixlistChange* list : {&mixlist.white, &mixlist.black, &mixlist.gray}) {
    count += std::ssize(list->to_add) + std::ssize(list->to_remove);
  }
  return count;
}

}  // namespace

std::string Summary(const Candidate& candidate) {
  const PrecisionOptions& options = candidate.options;
  std::string text = !options.precision_mode.empty()      ? options.precision_mode
                     : !options.precision_mode_v2.empty() ? options.precision_mode_v2
                                                          : "default mode";
  if (options.keep_dtype.size() == 1) {
    text += ", keep " + Shown(options.keep_dtype.front());
  } else if (!options.keep_dtype.empty()) {
    text += ", keep " + Counted(std::ssize(options.keep_dtype), "node");
  }
  text += ModesText(options.impl_mode_by_type, "type");
  text += ModesText(options.impl_mode_by_node, "node");
  if (options.op_precision_given && options.impl_mode_by_type.empty() &&
      options.impl_mode_by_node.empty()) {
    text += ", empty op_precision file";
  }
  if (!options.op_select_implmode.empty()) {
    text += ", " + options.op_select_implmode;
    if (!options.optypelist_for_implmode.empty()) {
      text += " for " + Join(options.optypelist_for_implmode, ", ");
    }
  }
  if (options.modify_mixlist) {
    text += ", " + Counted(ChangeCount(*options.modify_mixlist), "mixlist change");
  }
  if (!options.customize_dtypes.empty()) {
    text += ", " + Counted(std::ssize(options.customize_dtypes), "customized dtype line");
  }
  if (!options.input_fp16_nodes.empty()) {
    text += ", " + Counted(std::ssize(options.input_fp16_nodes), "float16 input");
  }
  std::map<std::string, std::int64_t> nodes_by_format;
  for (const auto& [node, format] : options.node_formats) {
    ++nodes_by_format[ShownFormat(format)];
  }
  for (const auto& [format, nodes] : nodes_by_format) {
    text += fmt::format(", {} for {}", format, Counted(nodes, "node"));
  }
  for (const auto& [name, value] :
       {std::pair("allow_hf32", options.allow_hf32), std::pair("output_type", options.output_type),
        std::pair("is_weight_clip", options.is_weight_clip),
        std::pair("status_check", options.status_check),
        std::pair("graph_run_mode", options.graph_run_mode)}) {
    if (!value.empty()) {
      text += fmt::format(", {}={}", name, value);
    }
  }
  return text;
}

}  // namespace halftone
