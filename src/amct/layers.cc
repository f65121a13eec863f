#include "src/amct/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/node_formats.h"
#include "src/precision/write/node_address.h"

namespace halftone {
namespace {

const Shape& ShapeOf(const Graph& graph, ValueId value) {
  return graph.value(value).type.shape;
}

bool HasConstantWeights(const Graph& graph, const Node& node) {
  return node.inputs.size() > 1 && node.inputs[1] != kNoValue &&
         graph.value(node.inputs[1]).constant.has_value();
}

// Dilations along all axes, 1 where the attribute is not given.
bool IsDilated(const Node& node, std::size_t first_axes) {
  const std::vector<std::int64_t> dilations = node.attributes.Ints("dilations", {});
  const auto count = std::min(first_axes, dilations.size());
  return std::any_of(dilations.begin(), dilations.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::int64_t dilation) { return dilation != 1; });
}

bool TakesConv(const Graph& graph, const Node& node) {
  const int rank = ShapeOf(graph, node.inputs[0]).rank();
  return HasConstantWeights(graph, node) && (rank == 4 || (rank == 5 && !IsDilated(node, 1)));
}

bool TakesConvTranspose(const Graph& graph, const Node& node) {
  return HasConstantWeights(graph, node) && ShapeOf(graph, node.inputs[0]).rank() == 4 &&
         !IsDilated(node, 2);
}

bool TakesGemm(const Graph& graph, const Node& node) {
  return HasConstantWeights(graph, node) && node.attributes.Int("transA", 0) == 0;
}

bool TakesMatMul(const Graph& graph, const Node& node) {
  return HasConstantWeights(graph, node) && ShapeOf(graph, node.inputs[1]).rank() == 2;
}

bool TakesPool(const Graph& graph, const Node& node) {
  return ShapeOf(graph, node.inputs[0]).rank() == 4;
}

struct LayerRow {
  OpKind op;
  bool (*takes)(const Graph& graph, const Node& node);
};

constexpr LayerRow kLayers[] = {
    {OpKind::kConv, TakesConv},        {OpKind::kConvTranspose, TakesConvTranspose},
    {OpKind::kGemm, TakesGemm},        {OpKind::kMatMul, TakesMatMul},
    {OpKind::kAveragePool, TakesPool},
};

bool IsAmctLayer(const Graph& graph, const Node& node) {
  const auto* row = std::ranges::find(kLayers, node.op, &LayerRow::op);
  return row != std::end(kLayers) && !node.inputs.empty() && node.inputs[0] != kNoValue &&
         IsTunable(graph.value(node.inputs[0]).type.dtype) && row->takes(graph, node);
}

}  // namespace

bool IsAmctTarget(const TargetSpec& target) {
  return target.has_amct && std::ranges::none_of(target.formats, &NumericFormat::is_scaled);
}

std::vector<NodeId> AmctLayers(const Graph& graph) {
  std::vector<NodeId> layers;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (IsAmctLayer(graph, graph.nodes[n])) {
      layers.push_back(static_cast<NodeId>(n));
    }
  }
  return layers;
}

std::set<std::string> QuantizedLayers(const Graph& graph, const AmctConfig& config) {
  std::set<std::string> names;
  for (const NodeId id : AmctLayers(graph)) {
    const Node& node = graph.node(id);
    const auto is_listed = [](const std::vector<std::string>& list, std::string_view name) {
      return std::ranges::find(list, name) != list.end();
    };
    if (!is_listed(config.skip_layers, node.name) &&
        !is_listed(config.skip_layer_types, IrTypeOf(graph, node))) {
      names.insert(node.name);
    }
  }
  return names;
}

AmctConfig AmctConfigOf(const Graph& graph, const PrecisionPlan& plan, int batches) {
  std::map<std::string, std::string> in_8_bits;
  for (const auto& [name, format] : NodeFormatsOf(graph, plan)) {
    if (format != kQuantizedInFloat16) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("no configuration of AMCT gives node '{}' the format {}: its layers "
                              "read 8 bits and make float16",
                              name, ShownFormat(format)));
    }
    in_8_bits.emplace(name, format);
  }
  AmctConfig config;
  config.batch_num = batches;
  config.common.channel_wise = !plan.quantization || plan.quantization->per_channel_weights;
  const std::vector<NodeAddress> addresses = AddressesOf(graph);
  for (const NodeId id : AmctLayers(graph)) {
    const Node& node = graph.node(id);
    if (in_8_bits.erase(node.name) > 0) {
      continue;
    }
    if (!addresses[static_cast<std::size_t>(id)].custom) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("no line of quant.cfg leaves node '{}' out of the quantisation: "
                              "another node has its name, or its text cannot hold it",
                              node.name));
    }
    config.skip_layers.push_back(node.name);
  }
  if (!in_8_bits.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("AMCT does not quantise node '{}'", in_8_bits.begin()->first));
  }
  return config;
}

}  // namespace halftone
