#include "search/candidate.h"

#include <fmt/format.h>

#include <map>

namespace halftone {
namespace {

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "high_precision for 3 types, high_performance for Conv2D"; `noun` is what the keys are.
std::string ModesText(const std::map<std::string, ImplMode>& modes, std::string_view noun) {
  std::map<ImplMode, std::vector<std::string>> names_by_mode;
  for (const auto& [name, mode] : modes) {
    names_by_mode[mode].push_back(name);
  }
  std::string text;
  for (const auto& [mode, names] : names_by_mode) {
    text += fmt::format(", {} for {}", NameOf(mode),
                        names.size() == 1 ? names.front() : Counted(names.size(), noun));
  }
  return text;
}

}  // namespace

std::string Summary(const Candidate& candidate) {
  const PrecisionOptions& options = candidate.options;
  std::string text = !options.precision_mode.empty()      ? options.precision_mode
                     : !options.precision_mode_v2.empty() ? options.precision_mode_v2
                                                          : "default mode";
  if (options.keep_dtype.size() == 1) {
    text += ", keep " + options.keep_dtype.front();
  } else if (!options.keep_dtype.empty()) {
    text += ", keep " + Counted(options.keep_dtype.size(), "node");
  }
  text += ModesText(options.impl_mode_by_type, "type");
  text += ModesText(options.impl_mode_by_node, "node");
  if (options.op_precision_given && options.impl_mode_by_type.empty() &&
      options.impl_mode_by_node.empty()) {
    text += ", empty op_precision file";
  }
  if (!options.op_select_implmode.empty()) {
    text += ", " + options.op_select_implmode;
  }
  return text;
}

}  // namespace halftone
