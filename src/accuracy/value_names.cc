#include "src/accuracy/value_names.h"

#include "src/base/text.h"

namespace halftone {

std::string NamesOf(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const ValueId id : ids) {
    names.push_back("'" + Shown(graph.value(id).name) + "'");
  }
  return Join(names, ", ");
}

std::optional<std::size_t> IndexOf(const Graph& graph, const std::vector<ValueId>& ids,
                                   std::string_view name) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (graph.value(ids[i]).name == name) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace halftone
