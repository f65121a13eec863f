#include "tests/fuzz/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "tests/support/operator_samples.h"

namespace halftone::testing {
namespace {

constexpr double kWildFloats[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  -2.5,
                                  3.0,
                                  5.0,
                                  6.0,
                                  100.0,
                                  65504.0,
                                  -65504.0,
                                  65520.0,
                                  1e5,
                                  1e-8,
                                  6e-8,
                                  1e-40,
                                  -1e-45,
                                  3.4028234663852886e38,
                                  -3.4028234663852886e38,
                                  2147483648.0,
                                  -9223372036854775808.0,
                                  1e300,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};

constexpr std::int64_t kWildIntegers[] = {0,
                                          1,
                                          -1,
                                          2,
                                          -2,
                                          3,
                                          -3,
                                          4,
                                          -4,
                                          5,
                                          6,
                                          -6,
                                          -7,
                                          7,
                                          8,
                                          9,
                                          16,
                                          127,
                                          128,
                                          255,
                                          256,
                                          1000,
                                          65536,
                                          std::numeric_limits<std::int32_t>::max(),
                                          std::numeric_limits<std::int32_t>::min(),
                                          std::int64_t{1} << 32,
                                          std::int64_t{1} << 40,
                                          -(std::int64_t{1} << 40),
                                          std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::max() - 1,
                                          std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::min() + 1};

void WriteTensor(const Tensor& tensor, const std::string& name, onnx::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(RowOf(tensor.dtype()).onnx_type);
  for (const std::int64_t dim : tensor.shape().dims()) {
    proto.add_dims(dim);
  }
  proto.set_raw_data(tensor.data(), tensor.size_bytes());
}

void WriteType(const Value& value, onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  auto* type = proto.mutable_type()->mutable_tensor_type();
  type->set_elem_type(RowOf(value.type.dtype).onnx_type);
  type->mutable_shape();
  for (const std::int64_t dim : value.type.shape.dims()) {
    type->mutable_shape()->add_dim()->set_dim_value(dim);
  }
}

// "activations" of a recurrent operator is one text in the graph and a list in ONNX.
void WriteTexts(const std::string& text, onnx::AttributeProto& proto) {
  proto.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string_view word : Split(text, ' ')) {
    proto.add_strings(std::string(word));
  }
}

struct AttributeWriter {
  onnx::AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }

  void operator()(float value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }

  void operator()(const std::string& value) const {
    if (proto.name() == "activations") {
      return WriteTexts(value, proto);
    }
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }

  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(onnx::AttributeProto::INTS);
    proto.mutable_ints()->Add(values.begin(), values.end());
  }

  void operator()(const std::vector<float>& values) const {
    proto.set_type(onnx::AttributeProto::FLOATS);
    proto.mutable_floats()->Add(values.begin(), values.end());
  }

  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) {
      proto.add_strings(value);
    }
  }

  void operator()(const Tensor& value) const {
    proto.set_type(onnx::AttributeProto::TENSOR);
    WriteTensor(value, "value", *proto.mutable_t());
  }
};

struct AttributeText {
  std::string operator()(const std::string& text) const { return text; }

  std::string operator()(const Tensor& tensor) const { return tensor.type().ToString(); }

  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("[{}]", fmt::join(values, ","));
  }

  template <typename T>
  std::string operator()(const T& value) const {
    return fmt::format("{}", value);
  }
};

void WriteNode(const Graph& graph, const Node& node, onnx::NodeProto& proto) {
  proto.set_op_type(std::string(InfoOf(node.op).name));
  proto.set_name(node.name);
  for (const ValueId id : node.inputs) {
    proto.add_input(id == kNoValue ? "" : graph.value(id).name);
  }
  for (const ValueId id : node.outputs) {
    proto.add_output(id == kNoValue ? "" : graph.value(id).name);
  }
  for (const auto& [name, value] : node.attributes.values()) {
    auto* attribute = proto.add_attribute();
    attribute->set_name(name);
    std::visit(AttributeWriter{*attribute}, value);
  }
}

// A Softmax with a mask and a scale is the graph's own form (src/passes/fuse/fuse_softmax.h): a
// file has the plain one.
void MakePlain(Node& node) {
  if (node.op == OpKind::kSoftmax) {
    node.inputs.resize(1);
    node.fusion = {};
  }
}

}  // namespace

Network SeedNetwork(std::span<const OpKind> ops, std::uint64_t seed) {
  Rng rng(seed);
  SampleGraph samples(rng.Next());
  for (const OpKind op : ops) {
    samples.AddCall(op);
  }
  Network network{.graph = samples.Finish(), .samples = {}};
  Graph& graph = network.graph;
  for (Node& node : graph.nodes) {
    MakePlain(node);
  }
  for (const ValueId id : graph.inputs) {
    network.samples[id] = TameTensor(graph.value(id).type, rng);
  }
  std::vector<ValueId> outputs;
  const double share = rng.Uniform();
  for (const ValueId id : graph.outputs) {
    if (id == graph.outputs.back() || rng.Uniform() < share) {
      outputs.push_back(id);
    }
  }
  graph.outputs = std::move(outputs);
  return network;
}

Network NetworkFrom(const std::filesystem::path& model, std::uint64_t seed) {
  const auto sample = [&](const Graph& graph) {
    Rng rng(seed);
    std::vector<Tensor> tensors;
    for (const ValueId id : graph.inputs) {
      if (graph.value(id).type.shape.ElementCount() > kMostNetworkElements) {
        throw Error(ErrorKind::kUnsupported, "an input is too large to be tried");
      }
      tensors.push_back(TameTensor(graph.value(id).type, rng));
    }
    return tensors;
  };
  Network network;
  network.graph = ImportOnnx(model, {.sample = sample}).graph;
  const std::vector<Tensor> tensors = sample(network.graph);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    network.samples[network.graph.inputs[i]] = tensors[i];
  }
  for (const Value& value : network.graph.values) {
    if (value.constant && value.constant->ElementCount() > kMostNetworkElements) {
      throw Error(ErrorKind::kUnsupported, "a constant is too large to be tried");
    }
  }
  return network;
}

std::string SerializedModel(const Network& network) {
  const Graph& graph = network.graph;
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.add_opset_import()->set_version(kNewestOpset);
  onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name("network");
  for (const ValueId id : graph.inputs) {
    WriteType(graph.value(id), *proto.add_input());
  }
  std::vector<bool> is_read(graph.values.size());
  for (const Node& node : graph.nodes) {
    WriteNode(graph, node, *proto.add_node());
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) {
        is_read[static_cast<std::size_t>(id)] = true;
      }
    }
  }
  for (const ValueId id : graph.outputs) {
    is_read[static_cast<std::size_t>(id)] = true;
    proto.add_output()->set_name(graph.value(id).name);
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    if (value.constant && is_read[i]) {
      WriteTensor(*value.constant, value.name, *proto.add_initializer());
    }
  }
  return model.SerializeAsString();
}

void SaveNetwork(const Network& network, const std::filesystem::path& folder) {
  WriteFileAtomically(folder / "model.onnx", SerializedModel(network));
  for (std::size_t i = 0; i < network.graph.inputs.size(); ++i) {
    const ValueId id = network.graph.inputs[i];
    WriteTensorProto(folder / "test_data_set_0" / fmt::format("input_{}.pb", i),
                     network.samples.at(id), network.graph.value(id).name);
  }
}

std::string TextOf(const Network& network) {
  const Graph& graph = network.graph;
  const auto named = [&](ValueId id) {
    if (id == kNoValue) {
      return std::string("-");
    }
    const Value& value = graph.value(id);
    const bool is_input =
        std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end();
    return fmt::format(
        "{}{}",
        is_input         ? "input "
        : value.constant ? "const "
                         : "",
        is_input || value.constant ? value.name + ":" + value.type.ToString() : value.name);
  };
  std::string text;
  for (const Node& node : graph.nodes) {
    text += fmt::format("  {} {}(", node.name, InfoOf(node.op).name);
    for (const ValueId id : node.inputs) {
      text += named(id) + ", ";
    }
    text += ")";
    for (const auto& [name, value] : node.attributes.values()) {
      text += fmt::format(" {}={}", name, std::visit(AttributeText{}, value));
    }
    text += " ->";
    for (const ValueId id : node.outputs) {
      text += " " + named(id);
    }
    text += "\n";
  }
  text += "  outputs:";
  for (const ValueId id : graph.outputs) {
    text += " " + named(id);
  }
  return text + "\n";
}

Tensor TameTensor(const TensorType& type, Rng& rng) {
  Tensor tensor(type);
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    if (IsFloating(type.dtype)) {
      StoreDouble(type.dtype, tensor.mutable_data(), i, rng.Uniform(-1, 3));
    } else {
      StoreInteger(tensor, i, static_cast<std::int64_t>(rng.Below(4)));
    }
  }
  return tensor;
}

Tensor WildTensor(const TensorType& type, Rng& rng) {
  Tensor tensor(type);
  // Few special elements let the others be seen in the result.
  const double share = rng.Below(2) == 0 ? 0.1 : 0.9;
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const bool wild = rng.Uniform() < share;
    if (IsFloating(type.dtype)) {
      StoreDouble(type.dtype, tensor.mutable_data(), i, wild ? WildFloat(rng) : rng.Uniform(-4, 4));
    } else {
      StoreInteger(tensor, i, wild ? WildInteger(rng) : static_cast<std::int64_t>(rng.Below(4)));
    }
  }
  return tensor;
}

double WildFloat(Rng& rng) {
  return kWildFloats[rng.Below(std::size(kWildFloats))];
}

std::int64_t WildInteger(Rng& rng) {
  return kWildIntegers[rng.Below(std::size(kWildIntegers))];
}

void StoreInteger(Tensor& tensor, std::int64_t index, std::int64_t value) {
  switch (tensor.dtype()) {
    case DType::kInt64:
      tensor.mutable_values<std::int64_t>()[static_cast<std::size_t>(index)] = value;
      return;
    case DType::kUInt64:
      tensor.mutable_values<std::uint64_t>()[static_cast<std::size_t>(index)] =
          static_cast<std::uint64_t>(value);
      return;
    default:
      StoreDouble(tensor.dtype(), tensor.mutable_data(), index, static_cast<double>(value));
  }
}

}  // namespace halftone::testing
