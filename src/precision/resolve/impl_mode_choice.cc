#include "src/precision/resolve/impl_mode_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/files/config_lines.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/resolve/allow_hf32.h"

namespace halftone {
namespace {

struct Request {
  ImplMode mode;
  bool by_user;  // named by node or type, not by a built-in table
};

bool Offers(const std::vector<ImplMode>& modes, ImplMode mode) {
  return std::ranges::find(modes, mode) != modes.end();
}

bool IsForAll(BuiltinImplModes table) {
  return table == BuiltinImplModes::kHighPerformanceForAll ||
         table == BuiltinImplModes::kHighPrecisionForAll;
}

std::optional<ImplMode> ModeByName(const PrecisionOptions& options, const Node& node) {
  if (const auto found = options.impl_mode_by_node.find(node.name);
      found != options.impl_mode_by_node.end()) {
    return found->second;
  }
  for (const Origin& origin : node.origins) {
    if (const auto found = options.impl_mode_by_node.find(origin.name);
        found != options.impl_mode_by_node.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

// The line of table `name` for an operator type; empty: the table does not list it.
std::optional<ImplMode> ModeInTable(const ImplModeRequests& requests, std::string_view name,
                                    std::string_view ir_type) {
  const auto given =
      requests.files == nullptr ? ImplModeFiles::const_iterator{} : requests.files->find(name);
  const BuiltinImplModeFile& file = requests.files != nullptr && given != requests.files->end()
                                        ? given->second
                                        : BuiltinFile(name);
  const auto found = file.find(ir_type);
  return found == file.end() ? std::nullopt : std::optional(found->second);
}

// The mode of a node that nothing names. Every option and file leaves it to the others.
ImplMode DefaultMode(const ImplModeRequests& requests, std::string_view ir_type,
                     const std::vector<ImplMode>& modes) {
  const auto mode =
      ModeInTable(requests, NameIn(kBuiltinImplModes, BuiltinImplModes::kHighPerformance), ir_type);
  return mode && Offers(modes, *mode) ? *mode : modes.front();
}

// The mode that --op_select_implmode gives a type; empty: it does not name the type.
std::optional<Request> SelectedMode(const ImplModeRequests& requests, std::string_view ir_type) {
  if (!requests.select) {
    return std::nullopt;
  }
  if (!requests.listed_types.empty()) {
    if (!requests.listed_types.contains(ir_type)) {
      return std::nullopt;
    }
    return Request{*requests.select == BuiltinImplModes::kHighPrecision
                       ? ImplMode::kHighPrecision
                       : ImplMode::kHighPerformance,
                   true};
  }
  const auto mode = ModeInTable(requests, NameIn(kBuiltinImplModes, *requests.select), ir_type);
  return mode ? std::optional(Request{*mode, false}) : std::nullopt;
}

// --allow_hf32 concerns operators in float32 alone: elsewhere a type line counts.
std::optional<Request> RequestFor(const ImplModeRequests& requests, const Node& node,
                                  std::string_view ir_type, DType dtype) {
  if (const auto mode = ModeByName(*requests.options, node)) {
    return Request{*mode, true};
  }
  if (requests.hf32 && dtype == DType::kFloat32) {
    if (const auto mode = ModeInTable(requests, requests.hf32->file(), ir_type)) {
      return Request{*mode, false};
    }
  }
  const auto& by_type = requests.options->impl_mode_by_type;
  if (const auto found = by_type.find(std::string(ir_type)); found != by_type.end()) {
    return Request{found->second, true};
  }
  return SelectedMode(requests, ir_type);
}

void RefuseDefault(const std::map<std::string, ImplMode>& modes) {
  for (const auto& [key, mode] : modes) {
    if (mode == ImplMode::kDefault) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("E10001: --op_precision_mode: '{}' has the mode 'default', which is "
                              "none of: {}; leave the entry out",
                              key, ImplModeFileNames()));
    }
  }
}

// The operand that chooses the kernel: the first present input marked "T" in the operator table.
DType KernelDTypeOf(const Node& node, const NodePrecision& precision) {
  const auto signature = ParseSignature(InfoOf(node.op).inputs);
  for (std::size_t i = 0; i < std::min(signature.size(), node.inputs.size()); ++i) {
    if (signature[i].letter == 'T' && node.inputs[i] != kNoValue) {
      return precision.inputs[i].dtype();
    }
  }
  return precision.compute_dtype();
}

std::vector<std::string> KeysOf(const std::map<std::string, ImplMode>& modes) {
  std::vector<std::string> keys;
  keys.reserve(modes.size());
  for (const auto& [key, mode] : modes) {
    keys.push_back(key);
  }
  return keys;
}

// One sentence for all types that the target does not know at all: misspelt, or of another one. A
// type that it knows and this network does not have is usual in files that are shared.
void WarnOfUnknownTypes(std::string_view where, const std::vector<std::string>& types,
                        const TargetSpec& target, std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  for (const std::string& type : types) {
    if (!target.ai_core.contains(type) && !target.ai_cpu.contains(type)) {
      unknown.push_back(type);
    }
  }
  if (unknown.empty()) {
    return;
  }
  std::vector<std::string> known;
  for (const auto& [type, op] : target.ai_core) {
    known.push_back(type);
  }
  constexpr std::size_t kListed = 10;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(kListed, unknown.size()); ++i) {
    const auto near = ClosestNames(unknown[i], known);
    listed.push_back(near.empty() ? QuotedLine(unknown[i])
                                  : fmt::format("{} (did you mean '{}'?)", QuotedLine(unknown[i]),
                                                near.front()));
  }
  warnings.push_back(fmt::format("{} lists {} that {} does not have: {}{}", where,
                                 unknown.size() == 1 ? "an operator type" : "operator types",
                                 target.name, Join(listed, ", "),
                                 unknown.size() > kListed ? ", ..." : ""));
}

}  // namespace

ImplModeRequests CheckImplModeOptions(const PrecisionOptions& options, const TargetSpec& target,
                                      std::vector<std::string>& warnings) {
  ImplModeRequests requests{.options = &options,
                            .select = {},
                            .listed_types = {},
                            .hf32 = {},
                            .files = &target.impl_mode_files};
  requests.hf32 = ParseAllowHf32(options.allow_hf32);
  if (requests.hf32 && !target.has_hf32) {
    warnings.push_back(fmt::format("--allow_hf32={} has no effect: {} has no HF32",
                                   options.allow_hf32, target.name));
    requests.hf32.reset();
  }
  RefuseDefault(options.impl_mode_by_node);
  RefuseDefault(options.impl_mode_by_type);
  const bool file_given = options.op_precision_given || !options.impl_mode_by_node.empty() ||
                          !options.impl_mode_by_type.empty();
  std::optional<BuiltinImplModes> select;
  if (!options.op_select_implmode.empty()) {
    select = ValueIn(kBuiltinImplModes, options.op_select_implmode);
    if (!select) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("E10001: --op_select_implmode has the value '{}', which is none of: {}",
                      options.op_select_implmode, NamesIn(kBuiltinImplModes)));
    }
  }
  const bool list_given = !options.optypelist_for_implmode.empty();
  if (file_given) {
    if (select || list_given) {
      warnings.emplace_back(
          "--op_select_implmode and --optypelist_for_implmode are ignored because "
          "--op_precision_mode is given");
    }
    return requests;
  }
  if (list_given && !select) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --optypelist_for_implmode has the value '{}' without "
                            "--op_select_implmode; add --op_select_implmode=high_precision or "
                            "high_performance",
                            Join(options.optypelist_for_implmode, ",")));
  }
  requests.select = select;
  if (list_given && IsForAll(*select)) {
    warnings.push_back(
        fmt::format("--optypelist_for_implmode is ignored because --op_select_implmode={} names "
                    "all operators",
                    options.op_select_implmode));
  } else {
    requests.listed_types.insert(options.optypelist_for_implmode.begin(),
                                 options.optypelist_for_implmode.end());
  }
  return requests;
}

std::vector<std::string> UnmatchedImplModeNames(const Graph& graph, const PrecisionOptions& options,
                                                const TargetSpec& target) {
  std::vector<std::string> warnings;
  WarnOfUnknownTypes("--op_precision_mode: [ByOpType]", KeysOf(options.impl_mode_by_type), target,
                     warnings);
  WarnOfUnknownTypes("--optypelist_for_implmode", options.optypelist_for_implmode, target,
                     warnings);
  if (options.impl_mode_by_node.empty()) {
    return warnings;
  }
  std::set<std::string> known;
  for (const Node& node : graph.nodes) {
    known.insert(node.name);
    for (const Origin& origin : node.origins) {
      known.insert(origin.name);
    }
  }
  for (const auto& [name, mode] : options.impl_mode_by_node) {
    if (known.contains(name)) {
      continue;
    }
    if (std::ranges::find(graph.removed, name, &Origin::name) != graph.removed.end()) {
      warnings.push_back(
          fmt::format("--op_precision_mode: the [ByNodeName] line of {} has no effect: the node "
                      "was {}",
                      QuotedLine(name), kWhyRemoved));
      continue;
    }
    const auto near = ClosestNames(name, {known.begin(), known.end()});
    warnings.push_back(
        fmt::format("--op_precision_mode: [ByNodeName] lists {}, which is not in "
                    "the graph{}",
                    QuotedLine(name), near.empty() ? "" : "; did you mean '" + near[0] + "'?"));
  }
  return warnings;
}

ImplMode ChooseImplMode(const ImplModeRequests& requests, const Node& node,
                        std::string_view ir_type, const LibraryOp& op,
                        const NodePrecision& precision, std::vector<std::string>& warnings) {
  const DType dtype = KernelDTypeOf(node, precision);
  const auto offered = op.impl_modes.find(dtype);
  if (offered == op.impl_modes.end() || offered->second.size() < 2) {
    return ImplMode::kDefault;
  }
  const std::vector<ImplMode>& modes = offered->second;
  const std::optional<Request> request = RequestFor(requests, node, ir_type, dtype);
  if (request && Offers(modes, request->mode)) {
    return request->mode;
  }
  const ImplMode mode = DefaultMode(requests, ir_type, modes);
  if (request && request->by_user) {
    warnings.push_back(fmt::format("node '{}' ({}) has no {} implementation in {}; {} is used",
                                   node.name, ir_type, NameOf(request->mode), NameOf(dtype),
                                   NameOf(mode)));
  }
  return mode;
}

}  // namespace halftone
