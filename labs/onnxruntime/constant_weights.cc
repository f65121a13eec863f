#include "labs/onnxruntime/constant_weights.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "labs/onnxruntime/model_bytes.h"
#include "src/base/rng.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

// First version of the file format in which initializers need not be inputs, and are constants
// then.
constexpr std::int64_t kConstantInitializersVersion = 4;

enum class WeightKind : std::uint8_t { kMatrix, kScale, kBias };

struct WeightUse {
  std::string_view op;
  int input;
  WeightKind kind;
};

// Uses of a weight by the operator that reads it; any other weight is a bias.
constexpr WeightUse kUses[] = {
    {"Conv", 1, WeightKind::kMatrix},
    {"ConvTranspose", 1, WeightKind::kMatrix},
    {"Gemm", 1, WeightKind::kMatrix},
    {"MatMul", 0, WeightKind::kMatrix},
    {"MatMul", 1, WeightKind::kMatrix},
    {"Gather", 0, WeightKind::kMatrix},
    {"BatchNormalization", 1, WeightKind::kScale},
    {"BatchNormalization", 4, WeightKind::kScale},
    {"Mul", 0, WeightKind::kScale},
    {"Mul", 1, WeightKind::kScale},
};

// Operators that hand a weight on with other extents.
bool HandsOn(std::string_view op) {
  return op == "Identity" || op == "Unsqueeze" || op == "Reshape";
}

struct Reader {
  const onnx::NodeProto* node = nullptr;
  int input = 0;
};

std::map<std::string, Reader> FirstReaders(const onnx::GraphProto& graph) {
  std::map<std::string, Reader> readers;
  for (const auto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      readers.emplace(node.input(i), Reader{&node, i});
    }
  }
  return readers;
}

// The first node that does something with the value.
Reader UserOf(const std::map<std::string, Reader>& readers, const std::string& value) {
  auto found = readers.find(value);
  while (found != readers.end() && HandsOn(found->second.node->op_type()) &&
         found->second.input == 0) {
    found = readers.find(found->second.node->output(0));
  }
  return found == readers.end() ? Reader{} : found->second;
}

WeightKind KindOf(const Reader& user) {
  for (const WeightUse& use : kUses) {
    if (user.node != nullptr && user.node->op_type() == use.op && user.input == use.input) {
      return use.kind;
    }
  }
  return WeightKind::kBias;
}

bool IsTransposedGemm(const onnx::NodeProto& node) {
  return node.op_type() == "Gemm" &&
         std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.name() == "transB" && a.i() != 0; });
}

// Number of products per result: rows of the right factor of a product; else everything but the
// first axis (convolution weights, tables).
std::int64_t FanIn(const Shape& shape, const Reader& user) {
  if (shape.rank() < 2) {
    return 1;
  }
  const bool is_product = user.node->op_type() == "Gemm" || user.node->op_type() == "MatMul";
  if (is_product && user.input == 1 && !IsTransposedGemm(*user.node)) {
    return shape[shape.rank() - 2];
  }
  return shape.ElementCount(1, shape.rank());
}

onnx::TensorProto RandomWeight(const std::string& name, const Shape& shape, const Reader& user,
                               Rng& rng) {
  const WeightKind kind = KindOf(user);
  const double center = kind == WeightKind::kScale ? 1.0 : 0.0;
  double reach = kind == WeightKind::kScale ? 0.5 : 0.1;
  if (kind == WeightKind::kMatrix) {
    reach = std::sqrt(3.0 / static_cast<double>(std::max<std::int64_t>(1, FanIn(shape, user))));
  }
  onnx::TensorProto weight;
  weight.set_name(name);
  weight.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape.dims()) {
    weight.add_dims(extent);
  }
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (float& value : values) {
    value = static_cast<float>(rng.Uniform(center - reach, center + reach));
  }
  weight.set_raw_data(values.data(), values.size() * sizeof(float));
  return weight;
}

bool MakesFloats(const onnx::NodeProto& node) {
  return std::all_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) {
    return a.name() != "value" || a.t().data_type() == onnx::TensorProto::FLOAT;
  });
}

// Returns how many there were.
std::size_t ReplaceMadeWeights(onnx::GraphProto& graph, std::uint64_t seed) {
  std::map<std::string, const onnx::TensorProto*> constants;
  for (const auto& initializer : graph.initializer()) {
    constants.emplace(initializer.name(), &initializer);
  }
  const std::map<std::string, Reader> readers = FirstReaders(graph);
  Rng rng(seed);
  std::set<std::string> replaced;
  std::vector<onnx::TensorProto> weights;
  for (const auto& node : graph.node()) {
    if (node.op_type() != "ConstantOfShape" || !MakesFloats(node) ||
        !constants.contains(node.input(0))) {
      continue;
    }
    const Shape shape(IntegersOf(TensorOf(*constants.at(node.input(0)), {})));
    weights.push_back(RandomWeight(node.output(0), shape, UserOf(readers, node.output(0)), rng));
    replaced.insert(node.output(0));
  }
  auto& nodes = *graph.mutable_node();
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                             [&](const auto& node) {
                               return node.output_size() > 0 && replaced.contains(node.output(0));
                             }),
              nodes.end());
  for (onnx::TensorProto& weight : weights) {
    *graph.add_initializer() = std::move(weight);
  }
  return weights.size();
}

void UnlistInitializers(onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& initializer : graph.initializer()) {
    names.insert(initializer.name());
  }
  auto& inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return names.contains(input.name()); }),
               inputs.end());
}

std::size_t FixDimensions(onnx::GraphProto& graph,
                          const std::map<std::string, std::int64_t>& dimensions) {
  std::size_t fixed = 0;
  for (auto& input : *graph.mutable_input()) {
    if (!input.type().tensor_type().has_shape()) {
      continue;
    }
    for (auto& dim : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      const auto found = dimensions.find(dim.dim_param());
      if (dim.has_dim_param() && found != dimensions.end()) {
        dim.set_dim_value(found->second);
        ++fixed;
      }
    }
  }
  return fixed;
}

}  // namespace

ConstantWeights MakeWeightsConstant(std::string_view model, const ConstantWeightsOptions& options) {
  onnx::ModelProto proto = ParseModelBytes(model);
  ConstantWeights result;
  onnx::GraphProto& graph = *proto.mutable_graph();
  if (options.random_weights) {
    result.random_weights = ReplaceMadeWeights(graph, options.seed);
  }
  result.fixed_dimensions = FixDimensions(graph, options.dimensions);
  UnlistInitializers(graph);
  proto.set_ir_version(std::max<std::int64_t>(proto.ir_version(), kConstantInitializersVersion));
  result.model = proto.SerializeAsString();
  return result;
}

}  // namespace halftone
