#include "src/onnx/graph_order.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr int kGivenFromOutside = -1;  // a graph input, an initializer

// Index of the node that makes each name.
std::unordered_map<std::string, int> MakersOf(const onnx::GraphProto& graph) {
  std::unordered_map<std::string, int> makers;
  for (const auto& initializer : graph.initializer()) {
    if (!makers.emplace(initializer.name(), kGivenFromOutside).second) {
      throw Error(ErrorKind::kModel,
                  fmt::format("initializer '{}' is given twice", initializer.name()));
    }
  }
  std::unordered_set<std::string> inputs;
  for (const auto& input : graph.input()) {
    if (!inputs.insert(input.name()).second) {
      throw Error(ErrorKind::kModel, fmt::format("graph input '{}' is given twice", input.name()));
    }
    makers.emplace(input.name(), kGivenFromOutside);
  }
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& output : graph.node(n).output()) {
      if (!output.empty() && !makers.emplace(output, n).second) {
        throw Error(ErrorKind::kModel,
                    fmt::format("{}: output '{}' is made twice: by another node, an input or an "
                                "initializer as well",
                                DescribeProto(graph.node(n), n), output));
      }
    }
  }
  return makers;
}

// Collects what `graph` reads but does not make. The depth of nesting is bounded by the parser
// (protobuf refuses messages nested deeper than 100).
void AddNamesFromOutside(const onnx::GraphProto& graph, std::vector<std::string>& names) {
  std::unordered_set<std::string> own;
  for (const auto& input : graph.input()) {
    own.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    own.insert(initializer.name());
  }
  for (const auto& node : graph.node()) {
    own.insert(node.output().begin(), node.output().end());
  }
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !own.contains(name)) {
      names.push_back(name);
    }
  };
  for (const auto& node : graph.node()) {
    for (const std::string& name : NamesReadBy(node)) {
      add(name);
    }
  }
  for (const auto& output : graph.output()) {
    add(output.name());
  }
}

}  // namespace

std::string DescribeProto(const onnx::NodeProto& node, int index) {
  return node.name().empty() ? fmt::format("node {} ({})", index, node.op_type())
                             : fmt::format("node '{}' ({})", node.name(), node.op_type());
}

std::vector<std::string> NamesReadBy(const onnx::NodeProto& node) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      AddNamesFromOutside(attribute.g(), names);
    }
    for (const auto& graph : attribute.graphs()) {
      AddNamesFromOutside(graph, names);
    }
  }
  return names;
}

std::vector<int> NodeOrder(const onnx::GraphProto& graph,
                           const std::function<bool(const std::string&)>& is_visible) {
  const auto makers = MakersOf(graph);
  const auto count = static_cast<std::size_t>(graph.node_size());
  std::vector<std::vector<int>> readers(count);
  std::vector<int> waiting(count, 0);
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& name : NamesReadBy(graph.node(n))) {
      if (name.empty()) {
        continue;
      }
      const auto maker = makers.find(name);
      if (maker == makers.end() && !is_visible(name)) {
        throw Error(ErrorKind::kModel,
                    fmt::format("{}: input '{}' is made by no node and is no input or initializer",
                                DescribeProto(graph.node(n), n), name));
      }
      if (maker != makers.end() && maker->second != kGivenFromOutside) {
        readers[static_cast<std::size_t>(maker->second)].push_back(n);
        ++waiting[static_cast<std::size_t>(n)];
      }
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int n = 0; n < graph.node_size(); ++n) {
    if (waiting[static_cast<std::size_t>(n)] == 0) {
      ready.push(n);
    }
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int reader : readers[static_cast<std::size_t>(order.back())]) {
      if (--waiting[static_cast<std::size_t>(reader)] == 0) {
        ready.push(reader);
      }
    }
  }
  for (int n = 0; n < graph.node_size() && order.size() != count; ++n) {
    if (waiting[static_cast<std::size_t>(n)] != 0) {
      throw Error(ErrorKind::kModel, fmt::format("{} is part of a cycle, or behind one",
                                                 DescribeProto(graph.node(n), n)));
    }
  }
  return order;
}

}  // namespace halftone
