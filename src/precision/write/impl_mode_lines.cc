#include "src/precision/write/impl_mode_lines.h"

#include <algorithm>
#include <functional>
#include <map>

#include "src/ir/ir_type.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/resolve/impl_mode_choice.h"

namespace halftone {
namespace {

// A node that has a choice of implementations.
struct ChoosingNode {
  NodeId id;
  std::string ir_type;
  const LibraryOp* op;
};

class Problem {
 public:
  Problem(const Graph& graph, const PrecisionPlan& plan, const TargetSpec& target,
          const std::vector<NodeAddress>& addresses)
      : graph_(graph), plan_(plan), target_(target), addresses_(addresses) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      const std::string ir_type(IrTypeOf(graph, node));
      const auto op = target.ai_core.find(ir_type);
      if (node.op != OpKind::kCast && !InfoOf(node.op).Is(kQuantized) &&
          op != target.ai_core.end() && plan.nodes[n].engine == Engine::kAiCore) {
        nodes_.push_back({static_cast<NodeId>(n), ir_type, &op->second});
      }
    }
  }

  // True if these options give the node the mode of its plan.
  [[nodiscard]] bool Gives(const PrecisionOptions& options, const ChoosingNode& node) const {
    std::vector<std::string> warnings;
    return ChooseImplMode(CheckImplModeOptions(options, target_, warnings), graph_.node(node.id),
                          node.ir_type, *node.op, plan_.node(node.id),
                          warnings) == plan_.node(node.id).impl_mode;
  }

  [[nodiscard]] bool GivesAll(const PrecisionOptions& options) const {
    return std::all_of(nodes_.begin(), nodes_.end(),
                       [&](const ChoosingNode& node) { return Gives(options, node); });
  }

  // Adds the types whose nodes all want the plain mode; false: a list cannot do it.
  bool AddTypeList(PrecisionOptions& options) const {
    for (const auto& [type, nodes] : ByType()) {
      PrecisionOptions without = options;
      without.optypelist_for_implmode = {"-"};  // a list that does not have the type
      PrecisionOptions with = options;
      with.optypelist_for_implmode = {type};
      const auto all = [&, &same_type = nodes](const PrecisionOptions& tried) {
        return std::all_of(same_type.begin(), same_type.end(),
                           [&](const ChoosingNode* node) { return Gives(tried, *node); });
      };
      if (all(without)) {
        continue;
      }
      if (!all(with)) {
        return false;
      }
      options.optypelist_for_implmode.push_back(type);
    }
    return !options.optypelist_for_implmode.empty();
  }

  // Fills the ini: per type the line that leaves the fewest nodes to be named.
  bool AddIni(PrecisionOptions& options, std::string& obstacle) const {
    options.op_precision_given = true;
    for (const auto& [type, nodes] : ByType()) {
      std::optional<PrecisionOptions> best;
      for (const auto& row : kImplModes) {
        PrecisionOptions tried = options;
        if (row.value != ImplMode::kDefault) {
          tried.impl_mode_by_type[type] = row.value;
        }
        const bool named = AddNodeLines(nodes, tried, obstacle);
        if (named && (!best || Entries(tried) < Entries(*best))) {
          best = std::move(tried);
        }
      }
      if (!best) {
        return false;
      }
      options = *std::move(best);
    }
    return true;
  }

 private:
  [[nodiscard]] std::map<std::string, std::vector<const ChoosingNode*>> ByType() const {
    std::map<std::string, std::vector<const ChoosingNode*>> types;
    for (const ChoosingNode& node : nodes_) {
      types[node.ir_type].push_back(&node);
    }
    return types;
  }

  static std::size_t Entries(const PrecisionOptions& options) {
    return options.impl_mode_by_type.size() + options.impl_mode_by_node.size();
  }

  bool AddNodeLines(const std::vector<const ChoosingNode*>& nodes, PrecisionOptions& options,
                    std::string& obstacle) const {
    for (const ChoosingNode* node : nodes) {
      if (Gives(options, *node)) {
        continue;
      }
      const auto& address = addresses_[static_cast<std::size_t>(node->id)].impl;
      const ImplMode wanted = plan_.node(node->id).impl_mode;
      if (!address || wanted == ImplMode::kDefault) {
        obstacle = graph_.node(node->id).name;
        return false;
      }
      options.impl_mode_by_node[*address] = wanted;
      if (!Gives(options, *node)) {
        obstacle = graph_.node(node->id).name;
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  const PrecisionPlan& plan_;
  const TargetSpec& target_;
  const std::vector<NodeAddress>& addresses_;
  std::vector<ChoosingNode> nodes_;
};

std::size_t SizeOf(const PrecisionOptions& options) {
  const std::size_t lines = options.impl_mode_by_type.size() + options.impl_mode_by_node.size();
  const std::size_t types = options.optypelist_for_implmode.size();
  return (options.allow_hf32.empty() ? 0U : 1U) + (options.op_select_implmode.empty() ? 0U : 1U) +
         (types == 0 ? 0 : types + 1) + (options.op_precision_given ? lines + 1 : 0);
}

}  // namespace

std::optional<ImplModeLines> FewestImplModeLines(const Graph& graph, const PrecisionPlan& plan,
                                                 const TargetSpec& target,
                                                 const std::vector<NodeAddress>& addresses,
                                                 std::string& obstacle) {
  const Problem problem(graph, plan, target, addresses);
  std::optional<ImplModeLines> best;
  const auto consider = [&](PrecisionOptions options) {
    const std::size_t size = SizeOf(options);
    if (!best || size < best->size) {
      best = {std::move(options), size};
    }
  };
  std::vector<std::string> hf32_values = {""};
  if (target.has_hf32) {
    hf32_values.insert(hf32_values.end(), {"00", "01", "10", "11"});
  }
  for (const std::string& hf32 : hf32_values) {
    PrecisionOptions plain;
    plain.allow_hf32 = hf32;
    if (problem.GivesAll(plain)) {
      consider(plain);
    }
    for (const auto& row : kBuiltinImplModes) {
      PrecisionOptions select = plain;
      select.op_select_implmode = row.name;
      const bool takes_types = row.value == BuiltinImplModes::kHighPrecision ||
                               row.value == BuiltinImplModes::kHighPerformance;
      if (problem.GivesAll(select) || (takes_types && problem.AddTypeList(select))) {
        consider(select);
      }
    }
    PrecisionOptions ini = plain;
    if (problem.AddIni(ini, obstacle)) {
      consider(ini);
    }
  }
  return best;
}

}  // namespace halftone
