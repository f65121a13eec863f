#include "src/precision/resolve/graph_boundary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct TypeRow {
  std::string_view name;
  DType dtype;
};

constexpr TypeRow kOutputTypes[] = {{"FP32", DType::kFloat32},
                                    {"FP16", DType::kFloat16},
                                    {"UINT8", DType::kUInt8},
                                    {"INT8", DType::kInt8}};

std::optional<DType> OutputTypeOf(std::string_view name) {
  for (const TypeRow& row : kOutputTypes) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::vector<DType> OriginalDTypes(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<DType> dtypes;
  dtypes.reserve(ids.size());
  for (const ValueId id : ids) {
    dtypes.push_back(graph.value(id).type.dtype);
  }
  return dtypes;
}

[[noreturn]] void Refuse(std::string_view option, std::string_view value, std::string_view why) {
  throw Error(ErrorKind::kUsage, fmt::format("E10001: {}={}: {}", option, value, why));
}

// "node:index:type", from the right: node names may have colons.
struct OutputItem {
  std::string_view node;
  std::size_t index = 0;
  DType dtype = DType::kFloat32;
};

OutputItem ParseOutputItem(std::string_view item, std::string_view all) {
  constexpr std::string_view kExpected =
      "expected FP32, FP16, UINT8 or INT8, or items 'node:index:type' separated by ';', found {}";
  const std::size_t type_colon = item.rfind(':');
  const std::size_t index_colon = type_colon == std::string_view::npos || type_colon == 0
                                      ? std::string_view::npos
                                      : item.rfind(':', type_colon - 1);
  if (index_colon == std::string_view::npos || index_colon == 0) {
    Refuse("--output_type", all,
           fmt::format(fmt::runtime(kExpected),
                       item.empty() ? "an item with nothing in it" : fmt::format("'{}'", item)));
  }
  OutputItem parsed{.node = item.substr(0, index_colon)};
  const std::string_view index = item.substr(index_colon + 1, type_colon - index_colon - 1);
  const auto [end, error] =
      std::from_chars(index.data(), index.data() + index.size(), parsed.index);
  if (error != std::errc() || end != index.data() + index.size()) {
    Refuse("--output_type", all,
           fmt::format("expected the index of an output, found '{}' in '{}'", index, item));
  }
  const auto dtype = OutputTypeOf(item.substr(type_colon + 1));
  if (!dtype) {
    Refuse("--output_type", all,
           fmt::format("expected FP32, FP16, UINT8 or INT8, found '{}' in '{}'",
                       item.substr(type_colon + 1), item));
  }
  parsed.dtype = *dtype;
  return parsed;
}

// The position in graph.outputs of an output of a node, by any name that the node has.
std::optional<std::size_t> FindOutput(const Graph& graph, const OutputItem& item) {
  for (const Node& node : graph.nodes) {
    const bool named = std::any_of(node.origins.begin(), node.origins.end(),
                                   [&](const Origin& origin) { return origin.name == item.node; });
    if (!named || item.index >= node.outputs.size() || node.outputs[item.index] == kNoValue) {
      continue;
    }
    const auto found =
        std::find(graph.outputs.begin(), graph.outputs.end(), node.outputs[item.index]);
    if (found != graph.outputs.end()) {
      return static_cast<std::size_t>(found - graph.outputs.begin());
    }
  }
  return std::nullopt;
}

// "'fc:0', 'softmax:0'": what the graph has.
std::string OutputNames(const Graph& graph) {
  std::vector<std::string> names;
  const std::vector<NodeId> producers = ProducersOf(graph);
  for (const ValueId id : graph.outputs) {
    const NodeId producer = producers[static_cast<std::size_t>(id)];
    if (producer == kNoNode) {
      continue;
    }
    const Node& node = graph.node(producer);
    const auto index = std::find(node.outputs.begin(), node.outputs.end(), id);
    names.push_back(fmt::format("'{}:{}'", node.name, index - node.outputs.begin()));
  }
  return Join(names, ", ");
}

}  // namespace

void CheckOutputType(const std::string& output_type) {
  if (output_type.empty() || OutputTypeOf(output_type)) {
    return;
  }
  for (const std::string_view item : Split(output_type, ';')) {
    ParseOutputItem(item, output_type);
  }
}

std::vector<DType> GraphInputDTypes(const Graph& graph, const PrecisionOptions& options) {
  if (options.input_fp16_nodes.empty()) {
    return {};
  }
  std::vector<DType> dtypes = OriginalDTypes(graph, graph.inputs);
  std::vector<std::string> names;
  for (const ValueId id : graph.inputs) {
    names.push_back(graph.value(id).name);
  }
  for (const std::string& name : options.input_fp16_nodes) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      Refuse("--input_fp16_nodes", name,
             fmt::format("the graph has no such input; it has: {}", Join(names, ", ")));
    }
    DType& dtype = dtypes[static_cast<std::size_t>(found - names.begin())];
    if (!IsTunable(dtype)) {
      Refuse("--input_fp16_nodes", name,
             fmt::format("expected an input of floats, found {}", NameOf(dtype)));
    }
    dtype = DType::kFloat16;
  }
  return dtypes;
}

std::vector<DType> GraphOutputDTypes(const Graph& graph, const PrecisionOptions& options,
                                     std::vector<std::string>& warnings) {
  if (options.output_type.empty()) {
    return {};
  }
  std::vector<DType> dtypes = OriginalDTypes(graph, graph.outputs);
  if (const auto all = OutputTypeOf(options.output_type)) {
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
      if (IsTunable(dtypes[i])) {
        dtypes[i] = *all;
      } else if (dtypes[i] != *all) {
        warnings.push_back(fmt::format("--output_type={}: output '{}' stays {}",
                                       options.output_type, graph.value(graph.outputs[i]).name,
                                       NameOf(dtypes[i])));
      }
    }
    return dtypes;
  }
  std::set<std::size_t> given;
  for (const std::string_view item : Split(options.output_type, ';')) {
    const OutputItem parsed = ParseOutputItem(item, options.output_type);
    const auto output = FindOutput(graph, parsed);
    if (!output) {
      Refuse("--output_type", options.output_type,
             fmt::format("'{}:{}' is no output of the graph; it has: {}", parsed.node, parsed.index,
                         OutputNames(graph)));
    }
    if (!given.insert(*output).second) {
      Refuse("--output_type", options.output_type,
             fmt::format("'{}:{}' is given twice", parsed.node, parsed.index));
    }
    dtypes[*output] = parsed.dtype;
  }
  return dtypes;
}

}  // namespace halftone
