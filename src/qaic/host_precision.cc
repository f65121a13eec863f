#include "src/qaic/host_precision.h"

#include <algorithm>

#include "src/precision/resolve/node_formats.h"
#include "src/qaic/integer_precision.h"

namespace halftone {
namespace {

// Formats of the tensors of one side that follow precision options; without trailing free ones.
std::vector<std::optional<DType>> Items(const Graph& graph, std::string_view signature,
                                        const std::vector<ValueId>& ids, DType dtype) {
  std::vector<std::optional<DType>> items;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool follows =
        ids[i] != kNoValue && FollowsModes(signature, i, graph.value(ids[i]).type.dtype);
    items.push_back(follows ? std::optional(dtype) : std::nullopt);
  }
  while (!items.empty() && !items.back()) {
    items.pop_back();
  }
  return items;
}

CustomDTypes LineFor(const Graph& graph, const Node& node, DType dtype) {
  const OpInfo& info = InfoOf(node.op);
  return {.target = node.name,
          .is_type = false,
          .inputs = Items(graph, info.inputs, node.inputs, dtype),
          .outputs = Items(graph, info.outputs, node.outputs, dtype)};
}

// True if every tensor that follows precision options has this dtype in the model.
bool IsOriginally(const Graph& graph, const Node& node, DType dtype) {
  const OpInfo& info = InfoOf(node.op);
  const auto all = [&](std::string_view signature, const std::vector<ValueId>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNoValue && FollowsModes(signature, i, graph.value(ids[i]).type.dtype) &&
          graph.value(ids[i]).type.dtype != dtype) {
        return false;
      }
    }
    return true;
  };
  return all(info.inputs, node.inputs) && all(info.outputs, node.outputs);
}

}  // namespace

PrecisionOptions HostPrecision(const Graph& graph, const NodeChoices& choices, bool to_fp16) {
  PrecisionOptions options;
  options.precision_mode = to_fp16 ? "force_fp16" : "must_keep_origin_dtype";
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!HasChosenType(graph, node)) {
      continue;
    }
    switch (choices.nodes[n].precision) {
      case QaicPrecision::kOriginal:
        if (to_fp16) {
          options.keep_dtype.push_back(node.name);
        }
        break;
      case QaicPrecision::kFloat32:
        if (!IsOriginally(graph, node, DType::kFloat32)) {
          options.customize_dtypes.push_back(LineFor(graph, node, DType::kFloat32));
        } else if (to_fp16) {
          options.keep_dtype.push_back(node.name);
        }
        break;
      case QaicPrecision::kFloat16:
        if (!to_fp16) {
          options.customize_dtypes.push_back(LineFor(graph, node, DType::kFloat16));
        }
        break;
      case QaicPrecision::kInt8:
      case QaicPrecision::kInt16:
        options.node_formats.emplace(node.name, IntegersOf(choices.nodes[n].precision).format);
        if (!IsOriginally(graph, node, DType::kFloat32)) {  // its values are float32
          options.customize_dtypes.push_back(LineFor(graph, node, DType::kFloat32));
        }
        break;
    }
  }
  std::ranges::sort(options.keep_dtype);
  return options;
}

}  // namespace halftone
