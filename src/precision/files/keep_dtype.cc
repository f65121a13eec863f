#include "src/precision/files/keep_dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/precision/files/config_lines.h"

namespace halftone {
namespace {

constexpr std::string_view kOpType = "OpType::";

// IR type of an origin; a node that was fused into another had one too. The type may depend on
// ranks that are no longer known. The node's own type is taken if the origin may have had it.
std::string_view IrTypeOfOrigin(const Origin& origin, std::string_view node_type) {
  if (const OpInfo* info = FindOp(origin.type)) {
    const auto possible = IrTypesOf(info->kind);
    if (std::find(possible.begin(), possible.end(), node_type) != possible.end()) {
      return node_type;
    }
  }
  return IrTypeOfName(origin.type);
}

// The line that keeps `node`, removing the lines that match it from `unmatched`.
std::string LineFor(const Graph& graph, const Node& node,
                    const std::set<std::string, std::less<>>& lines,
                    std::set<std::string, std::less<>>& unmatched) {
  std::string kept_by;
  const auto consider = [&](std::string line) {
    if (lines.contains(line)) {
      unmatched.erase(line);
      if (kept_by.empty()) {
        kept_by = std::move(line);
      }
    }
  };
  const auto consider_name = [&](const std::string& name) {
    if (KeepLineFor(name)) {
      consider(name);
    }
  };
  consider_name(node.name);
  for (const Origin& origin : node.origins) {
    consider_name(origin.name);
  }
  const std::string_view type = IrTypeOf(graph, node);
  consider(std::string(kOpType).append(type));
  for (const Origin& origin : node.origins) {
    consider(std::string(kOpType).append(IrTypeOfOrigin(origin, type)));
  }
  return kept_by;
}

}  // namespace

std::vector<std::string> ParseKeepDtype(std::string_view content, std::string_view file_name) {
  std::set<std::string> lines;
  for (const ConfigLine& line : ConfigLinesOf(content)) {
    const std::string_view text = Trim(line.text);
    if (text.empty() || text.starts_with('#')) {
      continue;
    }
    if (!text.starts_with(kOpType)) {
      lines.emplace(text);
      continue;
    }
    const std::string_view type = Trim(text.substr(kOpType.size()));
    if (type.empty() || type.find_first_of(" \t") != std::string_view::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}:{}: expected one IR type after 'OpType::', found {}", file_name,
                              line.number, QuotedLine(type)));
    }
    lines.insert(std::string(kOpType).append(type));
  }
  return {lines.begin(), lines.end()};
}

std::string FormatKeepDtype(const std::vector<std::string>& lines,
                            const std::vector<std::string>& comment) {
  std::string content;
  for (const std::string& line : comment) {
    content += "# " + line + "\n";
  }
  for (const std::string& line : std::set<std::string>(lines.begin(), lines.end())) {
    // Reading the line back is the definition of what can be expressed.
    if (!SurvivesAsLine(line) || ParseKeepDtype(line, "keep_dtype") != std::vector{line}) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("the keep_dtype format cannot express '{}'; rename the node", Shown(line)));
    }
    content += line + "\n";
  }
  return content;
}

std::optional<std::string> KeepLineFor(std::string_view node_name) {
  if (!SurvivesAsLine(node_name) || node_name.starts_with(kOpType)) {
    return std::nullopt;
  }
  return std::string(node_name);
}

KeepMatches MatchKeepLines(const Graph& graph, const std::vector<std::string>& lines) {
  KeepMatches matches{.line_of_node = std::vector<std::string>(graph.nodes.size())};
  if (lines.empty()) {
    return matches;
  }
  const std::set<std::string, std::less<>> wanted(lines.begin(), lines.end());
  std::set<std::string, std::less<>> unmatched = wanted;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    matches.line_of_node[n] = LineFor(graph, graph.nodes[n], wanted, unmatched);
  }
  for (const Origin& origin : graph.removed) {
    const auto line = unmatched.find(origin.name);
    if (line != unmatched.end()) {
      matches.removed_names.push_back(*line);
      unmatched.erase(line);
    }
  }
  for (const std::string& line : unmatched) {
    (line.starts_with(kOpType) ? matches.unmatched_types : matches.unknown_names).push_back(line);
  }
  return matches;
}

std::string UnknownNames(std::string_view option, const Graph& graph,
                         const std::vector<std::string>& unknown_names) {
  constexpr std::size_t kListed = 10;  // as the Ascend compiler does
  std::vector<std::string> known;
  for (const Node& node : graph.nodes) {
    for (const Origin& origin : node.origins) {
      known.push_back(origin.name);
    }
  }
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(kListed, unknown_names.size()); ++i) {
    std::vector<std::string> near = ClosestNames(unknown_names[i], known);
    for (std::string& name : near) {
      name = QuotedLine(name);
    }
    listed.push_back(near.empty() ? QuotedLine(unknown_names[i])
                                  : fmt::format("{} (close: {})", QuotedLine(unknown_names[i]),
                                                Join(near, ", ")));
  }
  return fmt::format("E10042: {} lists {} {} not in the graph: {}{}", option, unknown_names.size(),
                     unknown_names.size() == 1 ? "name that is" : "names that are",
                     Join(listed, ", "), unknown_names.size() > kListed ? ", ..." : "");
}

}  // namespace halftone
