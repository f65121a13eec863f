#include "src/precision/write/dtype_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/resolve/resolve_node.h"

namespace halftone {
namespace {

constexpr std::size_t kNever = SIZE_MAX / 4;
// Lines "OpType::X:InputDtype:..." that are tried: those that most nodes of the type want.
constexpr std::size_t kTypeLines = 8;

// Files that may be used; the cheapest combination wins.
struct Files {
  bool keep;
  bool custom;
  bool mixlist;
};

// The line that leaves a node exactly the column of the plan.
CustomDTypes ExactLine(const DTypeLinesQuery& query, NodeId n) {
  const Node& node = query.graph.node(n);
  const NodePrecision& wanted = query.plan.node(n);
  CustomDTypes line;
  const auto fill = [&](const std::vector<ValueId>& ids, const std::vector<DType>& dtypes,
                        std::vector<std::optional<DType>>& items) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool given = ids[i] != kNoValue && IsTunable(query.graph.value(ids[i]).type.dtype);
      items.push_back(given ? std::optional(dtypes[i]) : std::nullopt);
    }
    while (!items.empty() && !items.back()) {
      items.pop_back();
    }
  };
  fill(node.inputs, DTypesOf(wanted.inputs), line.inputs);
  fill(node.outputs, DTypesOf(wanted.outputs), line.outputs);
  return line;
}

// Outcome of one node under each kind of line, for one policy of its type.
struct NodeOutcomes {
  bool free = false;    // no line: as the plan wants it
  bool kept = false;    // a keep_dtype line
  bool custom = false;  // its exact customize_dtypes line
  std::vector<bool> type_lines;
};

// One IR type in one mode: its nodes, and the lines that its type could have.
class TypeProblem {
 public:
  TypeProblem(const DTypeLinesQuery& query, const PrecisionMode& mode, std::string_view ir_type,
              std::vector<NodeId> nodes)
      : query_(query), mode_(mode), ir_type_(ir_type), nodes_(std::move(nodes)) {
    const auto found = query.target.ai_core.find(ir_type);
    op_ = found == query.target.ai_core.end() ? nullptr : &found->second;
    ProposeTypeLines();
    keep_line_ = fmt::format("OpType::{}", ir_type);
    keep_line_is_safe_ = !mode.keeps_origin && KeepsOnlyThisType();
    const MixPolicy built_in = op_ == nullptr ? MixPolicy::kGray : op_->policy;
    policies_ = {built_in};
    if (mode.mixed_dtype && op_ != nullptr) {
      for (const auto& row : kMixPolicies) {
        if (row.value != built_in) {
          policies_.push_back(row.value);
        }
      }
    }
    for (const MixPolicy policy : policies_) {
      outcomes_.emplace_back();
      for (const NodeId node : nodes_) {
        outcomes_.back().push_back(OutcomesOf(node, policy));
      }
    }
  }

  // Lines of the type.
  struct Choice {
    std::size_t policy = 0;  // index into policies; 0: as built in
    bool keep_type = false;
    std::optional<std::size_t> type_line;
    std::size_t entries = kNever;
    NodeId obstacle = kNoNode;  // where entries is kNever
  };

  [[nodiscard]] Choice Best(const Files& files) const {
    Choice best;
    for (std::size_t p = 0; p < (files.mixlist ? policies_.size() : 1); ++p) {
      Consider({.policy = p}, files, best);
      if (files.keep && keep_line_is_safe_) {
        Consider({.policy = p, .keep_type = true}, files, best);
      }
      for (std::size_t t = 0; files.custom && t < type_lines_.size(); ++t) {
        Consider({.policy = p, .keep_type = false, .type_line = t}, files, best);
      }
    }
    return best;
  }

  void Write(const Choice& choice, const Files& files, DTypeLines& lines) const {
    if (choice.policy != 0) {
      WriteMixlist(policies_[choice.policy], lines);
    }
    if (choice.keep_type) {
      lines.keep.push_back(keep_line_);
    }
    if (choice.type_line) {
      CustomDTypes line = type_lines_[*choice.type_line];
      line.target = ir_type_;
      line.is_type = true;
      lines.custom.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      WriteNode(i, choice, files, lines);
    }
  }

 private:
  void ProposeTypeLines() {
    std::vector<std::pair<std::size_t, CustomDTypes>> counted;
    for (const NodeId node : nodes_) {
      CustomDTypes line = ExactLine(query_, node);
      const auto same = std::find_if(counted.begin(), counted.end(),
                                     [&](const auto& entry) { return entry.second == line; });
      if (same == counted.end()) {
        counted.emplace_back(1, std::move(line));
      } else {
        ++same->first;
      }
    }
    std::stable_sort(counted.begin(), counted.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min(kTypeLines, counted.size()); ++i) {
      type_lines_.push_back(counted[i].second);
    }
  }

  // A type line also keeps nodes of other types that something of this type was fused into, here
  // or on the target.
  [[nodiscard]] bool KeepsOnlyThisType() const {
    const KeepMatches matches = MatchKeepLines(query_.graph, {keep_line_});
    for (std::size_t n = 0; n < query_.graph.nodes.size(); ++n) {
      if (!matches.line_of_node[n].empty() &&
          (IrTypeOf(query_.graph, query_.graph.nodes[n]) != ir_type_ ||
           query_.joined[n] != static_cast<NodeId>(n))) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool Gives(NodeId n, MixPolicy policy, std::string_view kept_by,
                           const CustomDTypes* custom) const {
    static const PrecisionOptions kNoOptions;
    static const ImplModeRequests kNoRequests{
        .options = &kNoOptions, .select = {}, .listed_types = {}, .hf32 = {}};
    std::vector<std::string> warnings;
    static const MixPolicies kBuiltIn(std::nullopt, TargetSpec{}, warnings);
    const NodeToResolve task{.graph = query_.graph,
                             .node = query_.graph.node(n),
                             .ir_type = ir_type_,
                             .mode = mode_,
                             .target = query_.target,
                             .policies = kBuiltIn,
                             .op = op_,
                             .policy = policy,
                             .kept_by = kept_by,
                             .custom = custom};
    try {
      const NodePrecision got = ResolveNode(task, kNoRequests, query_.values, warnings);
      const NodePrecision& wanted = query_.plan.node(n);
      return got.engine == wanted.engine && got.inputs == wanted.inputs &&
             got.outputs == wanted.outputs;
    } catch (const Error&) {
      return false;  // no engine runs it so
    }
  }

  [[nodiscard]] NodeOutcomes OutcomesOf(NodeId n, MixPolicy policy) const {
    const CustomDTypes exact = ExactLine(query_, n);
    NodeOutcomes outcomes;
    outcomes.free = Gives(n, policy, {}, nullptr);
    outcomes.kept = !mode_.keeps_origin && Gives(n, policy, keep_line_, nullptr);
    outcomes.custom = Gives(n, policy, {}, &exact);
    for (const CustomDTypes& line : type_lines_) {
      outcomes.type_lines.push_back(line == exact ? outcomes.custom : Gives(n, policy, {}, &line));
    }
    return outcomes;
  }

  enum class Line { kNone, kKeep, kCustom, kImpossible };

  // The line that a node needs of its own.
  [[nodiscard]] Line LineOf(std::size_t i, const Choice& choice, const Files& files) const {
    const NodeOutcomes& node = outcomes_[choice.policy][i];
    const NodeAddress& address = query_.addresses[static_cast<std::size_t>(nodes_[i])];
    const bool as_it_is = choice.type_line   ? node.type_lines[*choice.type_line]
                          : choice.keep_type ? node.kept
                                             : node.free;
    if (as_it_is) {
      return Line::kNone;
    }
    // customize_dtypes wins, so a keep line says nothing where the type has a line there.
    if (!choice.type_line && files.keep && node.kept && address.keep) {
      return Line::kKeep;
    }
    return files.custom && node.custom && address.custom ? Line::kCustom : Line::kImpossible;
  }

  void Consider(Choice choice, const Files& files, Choice& best) const {
    choice.entries = (choice.policy != 0 ? 1U : 0U) + (choice.keep_type ? 1U : 0U) +
                     (choice.type_line ? 1U : 0U);
    for (std::size_t i = 0; i < nodes_.size() && choice.entries < best.entries; ++i) {
      const Line line = LineOf(i, choice, files);
      if (line == Line::kImpossible) {
        if (best.obstacle == kNoNode && best.entries == kNever) {
          best.obstacle = nodes_[i];
        }
        return;
      }
      choice.entries += line == Line::kNone ? 0 : 1;
    }
    if (choice.entries < best.entries) {
      best = choice;
    }
  }

  void WriteNode(std::size_t i, const Choice& choice, const Files& files, DTypeLines& lines) const {
    const Node& node = query_.graph.node(nodes_[i]);
    const NodeAddress& address = query_.addresses[static_cast<std::size_t>(nodes_[i])];
    switch (LineOf(i, choice, files)) {
      case Line::kKeep:
        lines.keep.push_back(*address.keep);
        if (*address.keep != node.name) {
          lines.notes.push_back(fmt::format(
              "keep_dtype cannot name '{}' alone; '{}', which was fused into it, stands for it",
              node.name, *address.keep));
        }
        break;
      case Line::kCustom: {
        CustomDTypes line = ExactLine(query_, nodes_[i]);
        line.target = *address.custom;
        lines.custom.push_back(std::move(line));
        break;
      }
      case Line::kNone:
      case Line::kImpossible:
        NoteTypeLine(i, choice, address, lines);
        break;
    }
  }

  // A node that a type line serves because no line could name it.
  void NoteTypeLine(std::size_t i, const Choice& choice, const NodeAddress& address,
                    DTypeLines& lines) const {
    const NodeOutcomes& outcomes = outcomes_[choice.policy][i];
    if (outcomes.free || address.keep || address.custom ||
        (!choice.keep_type && !choice.type_line)) {
      return;
    }
    lines.notes.push_back(
        fmt::format("neither keep_dtype nor customize_dtypes can name '{}'; the line of OpType::{} "
                    "serves it",
                    query_.graph.node(nodes_[i]).name, ir_type_));
  }

  void WriteMixlist(MixPolicy becomes, DTypeLines& lines) const {
    if (!lines.mixlist) {
      lines.mixlist.emplace();
    }
    Mixlist& mixlist = *lines.mixlist;
    if (becomes == MixPolicy::kGray) {
      (policies_[0] == MixPolicy::kWhite ? mixlist.white : mixlist.black)
          .to_remove.push_back(ir_type_);
    } else {
      (becomes == MixPolicy::kWhite ? mixlist.white : mixlist.black).to_add.push_back(ir_type_);
    }
  }

  const DTypeLinesQuery& query_;
  const PrecisionMode& mode_;
  std::string ir_type_;
  std::vector<NodeId> nodes_;
  const LibraryOp* op_ = nullptr;
  std::string keep_line_;
  bool keep_line_is_safe_ = false;
  std::vector<CustomDTypes> type_lines_;             // without target
  std::vector<MixPolicy> policies_;                  // the built-in one first
  std::vector<std::vector<NodeOutcomes>> outcomes_;  // by policy and node
};

std::vector<TypeProblem> ProblemsOf(const DTypeLinesQuery& query, const PrecisionMode& mode) {
  std::map<std::string, std::vector<NodeId>, std::less<>> by_type;
  for (std::size_t n = 0; n < query.graph.nodes.size(); ++n) {
    const Node& node = query.graph.nodes[n];
    const bool is_part = query.joined[n] != static_cast<NodeId>(n);
    if (!is_part && node.op != OpKind::kCast && !InfoOf(node.op).Is(kQuantized)) {
      by_type[std::string(IrTypeOf(query.graph, node))].push_back(static_cast<NodeId>(n));
    }
  }
  std::vector<TypeProblem> problems;
  problems.reserve(by_type.size());
  for (auto& [type, nodes] : by_type) {
    problems.emplace_back(query, mode, type, std::move(nodes));
  }
  return problems;
}

// The fewest lines in these files; empty: some node cannot have its dtypes, the first of which is
// `obstacle`.
std::optional<DTypeLines> LinesIn(const Files& files, const std::vector<TypeProblem>& problems,
                                  NodeId& obstacle) {
  DTypeLines lines;
  for (const TypeProblem& problem : problems) {
    const TypeProblem::Choice choice = problem.Best(files);
    if (choice.entries == kNever) {
      obstacle = choice.obstacle;
      return std::nullopt;
    }
    problem.Write(choice, files, lines);
    lines.size += choice.entries;
  }
  lines.size +=
      (lines.keep.empty() ? 0U : 1U) + (lines.custom.empty() ? 0U : 1U) + (lines.mixlist ? 1U : 0U);
  return lines;
}

}  // namespace

std::optional<DTypeLines> FewestDTypeLines(const DTypeLinesQuery& query, const PrecisionMode& mode,
                                           std::string& obstacle) {
  const std::vector<TypeProblem> problems = ProblemsOf(query, mode);
  std::optional<DTypeLines> best;
  for (unsigned bits = 0; bits < 8; ++bits) {
    const Files files{(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0};
    if ((files.keep && mode.keeps_origin) || (files.mixlist && !mode.mixed_dtype)) {
      continue;
    }
    NodeId missed = kNoNode;
    std::optional<DTypeLines> lines = LinesIn(files, problems, missed);
    const bool all_files =
        bits == 7 || (bits == 3 && !mode.mixed_dtype) || (bits == 2 && mode.keeps_origin);
    if (!lines && all_files) {
      obstacle = query.graph.node(missed).name;
    }
    if (lines && (!best || lines->size < best->size)) {
      best = std::move(lines);
    }
  }
  if (best) {
    std::sort(best->keep.begin(), best->keep.end());
  }
  return best;
}

}  // namespace halftone
