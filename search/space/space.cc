#include "search/space/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "search/space/network_steps.h"
#include "search/space/tunable_node.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

// Fastest first. Source: ATC Instructions, --precision_mode and --precision_mode_v2, ranking by
// speed (v2 puts bfloat16 before float16); allow_fp32_to_bf16 stands beside its float16 twin. This
// is only the order of proposals; measurements decide.
constexpr std::string_view kModesBySpeed[] = {
    "allow_mix_precision_bf16",
    "force_fp16",
    "allow_mix_precision",
    "allow_fp32_to_bf16",
    "allow_fp32_to_fp16",
    "must_keep_origin_dtype",
    "force_fp32",
};

std::uint64_t SaturatingProduct(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMaxSize / b ? kMaxSize : a * b;
}

// All modes that have rules and a --precision_mode value, known ones by speed, then any newer ones.
std::vector<const PrecisionMode*> ModesBySpeed() {
  std::vector<const PrecisionMode*> modes;
  for (const std::string_view name : kModesBySpeed) {
    if (const PrecisionMode* mode = FindPrecisionMode(name)) {
      modes.push_back(mode);
    }
  }
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    const bool listed = std::find(modes.begin(), modes.end(), &mode) != modes.end();
    if (!listed && !mode.name.empty() && mode.narrow != nullptr) {
      modes.push_back(&mode);
    }
  }
  return modes;
}

std::set<const PrecisionMode*> PinnedModes(const std::vector<std::string>& values) {
  std::set<const PrecisionMode*> modes;
  for (const std::string& value : values) {
    const PrecisionMode* mode = FindPrecisionMode(value);
    if (mode == nullptr) {
      mode = FindPrecisionModeV2(value);
    }
    if (mode == nullptr || mode->name.empty() || mode->narrow == nullptr) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("E10001: cannot search the precision mode '{}': expected some of {}",
                              value, PrecisionModeNames()));
    }
    modes.insert(mode);
  }
  return modes;
}

void AddKeepableNodes(const Graph& graph, const SharedFusions& fusions, SearchSpace& space) {
  const KeepMatches pinned = MatchKeepLines(graph, space.pinned_keep_dtype);
  const NetworkSteps steps = StepsOf(graph, fusions);
  std::map<NodeId, std::vector<NodeId>> by_first;  // in graph order
  for (std::size_t step = 0; step < steps.nodes.size(); ++step) {
    std::vector<NodeId> nodes;
    for (const NodeId id : steps.nodes[step]) {
      const Node& node = graph.node(id);
      if (!IsTunableComputation(graph, node) ||
          !pinned.line_of_node[static_cast<std::size_t>(id)].empty()) {
        continue;
      }
      if (KeepLineFor(node.name)) {
        nodes.push_back(id);
      } else {
        space.notes.push_back(fmt::format(
            "{} cannot be kept: keep_dtype files have no syntax for its name", Describe(node)));
      }
    }
    const auto main = std::ranges::find(nodes, steps.main[step]);
    if (main != nodes.end()) {
      std::rotate(nodes.begin(), main, main + 1);
    }
    if (!nodes.empty()) {
      by_first.emplace(nodes.front(), std::move(nodes));
    }
  }
  for (const auto& [first, nodes] : by_first) {
    const std::string& name = graph.node(first).name;
    space.keepable_nodes.push_back(name);
    for (const NodeId other : std::span(nodes).subspan(1)) {
      space.kept_with[name].push_back(graph.node(other).name);
    }
  }
}

// The node and those that keep_dtype lists with it.
std::vector<std::string> KeptTogether(const SearchSpace& space, const std::string& name) {
  std::vector<std::string> names = {name};
  if (const auto others = space.kept_with.find(name); others != space.kept_with.end()) {
    names.insert(names.end(), others->second.begin(), others->second.end());
  }
  return names;
}

// Why the options resolve to no plan; empty: they do.
std::string WhyUnsupported(const Graph& graph, const TargetSpec& target,
                           const PrecisionOptions& options) {
  try {
    ResolvePrecision(graph, options, target);
    return {};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return error.what();
  }
}

// Leaves out modes that the target cannot run the network in, whose every candidate would be
// rejected, and operators that it cannot run in float32. Where no mode is left, all modes stay, so
// that the search says why. False: no mode is supported.
bool LeaveOutUnsupported(const Graph& graph, const TargetSpec& target, SearchSpace& space) {
  const auto options_of = [&](const std::string& mode) {
    return PrecisionOptions{.precision_mode = mode, .keep_dtype = space.pinned_keep_dtype};
  };
  std::vector<std::string> supported;
  std::vector<std::string> notes;
  for (const std::string& mode : space.modes) {
    const std::string why = WhyUnsupported(graph, target, options_of(mode));
    if (why.empty()) {
      supported.push_back(mode);
    } else {
      notes.push_back(fmt::format("mode {} is left out: {}", space.words->ModeWord(mode), why));
    }
  }
  if (supported.empty()) {
    return false;
  }
  space.modes = std::move(supported);
  space.notes.insert(space.notes.end(), notes.begin(), notes.end());
  std::vector<std::string> refused;
  std::erase_if(space.keepable_nodes, [&](const std::string& name) {
    const std::vector<std::string> names = KeptTogether(space, name);
    if (std::ranges::all_of(names, [&](const std::string& each) {
          const auto node = std::ranges::find(graph.nodes, each, &Node::name);
          return NodeFormOf(graph, *node, target, {}).has_value();
        })) {
      return false;
    }
    PrecisionOptions kept = options_of(space.modes.front());
    for (const std::string& each : names) {
      kept.keep_dtype.push_back(*KeepLineFor(each));
    }
    if (WhyUnsupported(graph, target, kept).empty()) {
      return false;
    }
    space.kept_with.erase(name);
    refused.push_back(name);
    return true;
  });
  if (!refused.empty()) {
    space.notes.push_back(
        fmt::format("{} cannot be kept in float32, which target {} does not run "
                    "them in: {}{}",
                    Counted(std::ssize(refused), "operator"), target.name, refused.front(),
                    refused.size() > 1 ? ", ..." : ""));
  }
  return true;
}

// The IR types of the graph that have both implementation modes for some dtype, in alphabetical
// order.
std::set<std::string> TypesWithChoice(const Graph& graph, const TargetSpec& target) {
  const auto has = [](const std::vector<ImplMode>& modes, ImplMode mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  };
  std::set<std::string> types;
  for (const Node& node : graph.nodes) {
    const auto op = target.ai_core.find(IrTypeOf(graph, node));
    if (op == target.ai_core.end()) {
      continue;
    }
    for (const auto& [dtype, modes] : op->second.impl_modes) {
      if (has(modes, ImplMode::kHighPrecision) && has(modes, ImplMode::kHighPerformance)) {
        types.insert(op->first);
      }
    }
  }
  return types;
}

void AddImplModeSets(const Graph& graph, const TargetSpec& target, SearchSpace& space) {
  space.impl_mode_sets.push_back({.name = "default", .given = false, .by_type = {}});
  const auto types = TypesWithChoice(graph, target);
  if (types.empty()) {
    return;
  }
  for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
    ImplModeSet set{.name = std::string(NameOf(mode)), .given = true, .by_type = {}};
    for (const std::string& type : types) {
      set.by_type.emplace(type, mode);
    }
    space.impl_mode_sets.push_back(std::move(set));
  }
  for (const std::string& type : types) {
    if (types.size() > 1) {
      ImplModeSet set{.name = fmt::format("{} for {}", NameOf(ImplMode::kHighPerformance), type),
                      .given = true,
                      .by_type = {}};
      for (const std::string& each : types) {
        set.by_type.emplace(each,
                            each == type ? ImplMode::kHighPerformance : ImplMode::kHighPrecision);
      }
      space.impl_mode_sets.push_back(std::move(set));
    }
  }
}

}  // namespace

SearchedModes ModesToSearch(const TargetSpec& target, const std::vector<std::string>& values) {
  SearchedModes modes;
  const auto pinned = PinnedModes(values);
  for (const PrecisionMode* mode : ModesBySpeed()) {
    if (!pinned.empty() && !pinned.contains(mode)) {
      continue;
    }
    if (mode->needs_bfloat16 && !target.has_bfloat16) {
      modes.notes.push_back(fmt::format("mode {} is left out: target {} has no bfloat16",
                                        VocabularyOf(target).ModeWord(mode->name), target.name));
      continue;
    }
    modes.names.emplace_back(mode->name);
  }
  if (modes.names.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no precision mode is left to search: target {} has no bfloat16 and "
                            "only bfloat16 modes are asked for",
                            target.name));
  }
  return modes;
}

std::string SearchSpace::ChoicesText() const {
  std::string text =
      fmt::format("{} modes x 2^{} {}", modes.size(), keepable_nodes.size(), words->node_sets);
  if (!words->implementations.empty()) {
    text += fmt::format(" x {} {}", impl_mode_sets.size(), words->implementations);
  }
  return text;
}

std::string SearchSpace::Summary() const {
  std::string text = ChoicesText();
  std::size_t together = 0;
  for (const auto& [name, others] : kept_with) {
    together += others.size();
  }
  if (together > 0) {
    text += fmt::format(
        "; {} of {} operators are decided with the one in whose step they run, since a precision "
        "of their own takes the step apart and costs more time than it saves",
        together, together + keepable_nodes.size());
  }
  if (!slow_choices.empty()) {
    const SlowChoice& most = *std::ranges::max_element(slow_choices, {}, &SlowChoice::ratio);
    text += fmt::format(
        "; left out, since they are slower than float32 on this machine by its profile: {} of "
        "operators (at most {:.1f} times as long, {} in {})",
        Counted(std::ssize(slow_choices), "choice"), most.ratio, most.step, NameOf(most.choice));
  }
  return text;
}

std::uint64_t SearchSpace::size() const {
  const std::size_t nodes = keepable_nodes.size();
  const std::uint64_t keep_sets = nodes >= 63 ? kMaxSize : std::uint64_t{1} << nodes;
  return SaturatingProduct(SaturatingProduct(modes.size(), impl_mode_sets.size()), keep_sets);
}

SearchSpace MakeSearchSpace(const Graph& graph, const TargetSpec& target,
                            const SpaceOptions& options) {
  SearchSpace space;
  space.words = &VocabularyOf(target);
  space.pinned_keep_dtype = options.pinned_keep_dtype;
  SearchedModes modes = ModesToSearch(target, options.modes);
  space.modes = std::move(modes.names);
  space.notes = std::move(modes.notes);
  AddKeepableNodes(graph, target.fusions, space);
  const bool supported = LeaveOutUnsupported(graph, target, space);
  AddImplModeSets(graph, target, space);
  if (!supported) {
    // Neither the original dtype, which every mode falls back to, nor another implementation gives
    // an operator what the target lacks.
    space.keepable_nodes.clear();
    space.kept_with.clear();
    space.impl_mode_sets.resize(1);
  }
  return space;
}

Candidate MakeCandidate(const SearchSpace& space, std::size_t mode,
                        const std::vector<std::size_t>& kept, std::size_t impl_mode_set) {
  Check(mode < space.modes.size() && impl_mode_set < space.impl_mode_sets.size(),
        "a candidate outside the search space");
  Candidate candidate;
  PrecisionOptions& options = candidate.options;
  options.precision_mode = space.modes[mode];
  options.keep_dtype = space.pinned_keep_dtype;
  for (const std::size_t node : kept) {
    Check(node < space.keepable_nodes.size(), "keeping a node outside the search space");
    for (const std::string& each : KeptTogether(space, space.keepable_nodes[node])) {
      const auto line = KeepLineFor(each);
      Check(line.has_value(), "a keepable node whose name keep_dtype cannot express");
      options.keep_dtype.push_back(*line);
    }
  }
  std::sort(options.keep_dtype.begin(), options.keep_dtype.end());
  options.keep_dtype.erase(std::unique(options.keep_dtype.begin(), options.keep_dtype.end()),
                           options.keep_dtype.end());
  options.op_precision_given = space.impl_mode_sets[impl_mode_set].given;
  options.impl_mode_by_type = space.impl_mode_sets[impl_mode_set].by_type;
  return candidate;
}

}  // namespace halftone
