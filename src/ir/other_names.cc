#include "src/ir/other_names.h"

#include <algorithm>
#include <map>

namespace halftone {
namespace {

// A name here without the numbers of iterations: "loop/3/act" is "loop/act".
std::string WithoutIterations(std::string_view name) {
  std::string kept;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size() - 1);
    const std::string_view part = name.substr(0, slash + 1);
    const bool number = part.size() > 1 && part.ends_with('/') &&
                        part.find_first_not_of("0123456789") == part.size() - 1;
    kept += number ? "" : part;
    name.remove_prefix(part.size());
  }
  return kept;
}

}  // namespace

std::vector<std::string_view> OwnNames(const Node& node) {
  std::vector<std::string_view> names = {node.name};
  for (std::size_t i = 1; i < node.origins.size() && IsOtherName(node.origins[i]); ++i) {
    names.push_back(node.origins[i].name);
  }
  return names;
}

std::vector<SharedName> SharedNames(const Graph& graph, const std::vector<std::string>& names) {
  const bool has_other_names =
      std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
        return std::any_of(node.origins.begin(), node.origins.end(), IsOtherName);
      });
  if (!has_other_names) {
    return {};
  }

  struct Meant {
    std::map<std::string, std::string> nodes;  // by the name without iterations: the first one
    bool by_other_name = false;
  };

  std::map<std::string_view, Meant> meant;
  for (const std::string& name : names) {
    meant.try_emplace(name);
  }
  for (const Node& node : graph.nodes) {
    std::string_view here;  // of the node that the origin is, or that it is another name of
    for (const Origin& origin : node.origins) {
      here = IsOtherName(origin) ? here : std::string_view(origin.name);
      const auto found = meant.find(origin.name);
      if (found == meant.end()) {
        continue;
      }
      found->second.nodes.emplace(WithoutIterations(here), here);
      found->second.by_other_name |= IsOtherName(origin);
    }
  }
  std::vector<SharedName> shared;
  for (const std::string& name : names) {
    const Meant& found = meant.at(name);
    if (found.by_other_name && found.nodes.size() > 1) {
      shared.push_back({name, {}});
      for (const auto& [of_file, node] : found.nodes) {
        shared.back().nodes.push_back(node);
      }
    }
  }
  return shared;
}

}  // namespace halftone
