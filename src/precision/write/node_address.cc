#include "src/precision/write/node_address.h"

#include <map>
#include <set>
#include <string_view>

#include "src/ir/other_names.h"
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/files/keep_dtype.h"

namespace halftone {
namespace {

// The node's name, then the names of the nodes that were fused into it.
std::vector<std::string_view> NamesOf(const Node& node) {
  std::vector<std::string_view> names = {node.name};
  for (const Origin& origin : node.origins) {
    names.push_back(origin.name);
  }
  return names;
}

}  // namespace

std::vector<NodeAddress> AddressesOf(const Graph& graph) {
  std::map<std::string_view, int> with_name;  // nodes that have it in any way
  std::map<std::string_view, int> main_name;  // nodes whose main operator has it
  for (const Node& node : graph.nodes) {
    const std::vector<std::string_view> names = NamesOf(node);
    for (const std::string_view name : std::set(names.begin(), names.end())) {
      ++with_name[name];
    }
    for (const std::string_view name : OwnNames(node)) {
      ++main_name[name];
    }
  }
  std::vector<NodeAddress> addresses;
  for (const Node& node : graph.nodes) {
    NodeAddress address;
    for (const std::string_view name : NamesOf(node)) {
      if (with_name[name] != 1) {
        continue;
      }
      if (!address.keep) {
        address.keep = KeepLineFor(name);
      }
      if (!address.impl && CanBeImplModeKey(name)) {
        address.impl = std::string(name);
      }
    }
    if (main_name[node.name] == 1 && CanBeCustomTarget(node.name)) {
      address.custom = node.name;
    }
    addresses.push_back(std::move(address));
  }
  return addresses;
}

}  // namespace halftone
