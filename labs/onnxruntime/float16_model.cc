#include "labs/onnxruntime/float16_model.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "labs/onnxruntime/model_bytes.h"
#include "src/ir/half.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

constexpr int kFloat = onnx::TensorProto::FLOAT;
constexpr int kHalf = onnx::TensorProto::FLOAT16;

// Least magnitude of a constant other than zero.
constexpr float kLeastConstant = 1e-7F;

enum class KeptWhen : std::uint8_t {
  kAlways,
  kFirstInputFloat,  // the operator has integers too, and the first input is known to be float32
};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Positions of operands that stay float32.
struct KeptOperands {
  std::string_view op;
  KeptWhen when;
  std::vector<std::size_t> inputs;
  std::size_t output = kNone;
};

// Operators of which ONNX has some operands in float32, not in float16, in one of its opsets.
const std::vector<KeptOperands>& KeptOperators() {
  static const std::vector<KeptOperands> kKept = {
      {"Celu", KeptWhen::kAlways, {0}, 0},
      {"CumSum", KeptWhen::kFirstInputFloat, {0}, 0},
      {"DequantizeLinear", KeptWhen::kAlways, {1}, 0},
      {"DynamicQuantizeLinear", KeptWhen::kAlways, {0}, 1},
      {"IsInf", KeptWhen::kAlways, {0}},
      {"NonMaxSuppression", KeptWhen::kAlways, {0, 1, 3, 4}},
      {"QLinearConv", KeptWhen::kAlways, {1, 4, 6}},
      {"QLinearMatMul", KeptWhen::kAlways, {1, 4, 6}},
      {"QuantizeLinear", KeptWhen::kAlways, {0, 1}},
      {"Range", KeptWhen::kFirstInputFloat, {0, 1, 2}, 0},
      {"Resize", KeptWhen::kAlways, {1, 2}},
      {"Upsample", KeptWhen::kAlways, {1}},
  };
  return kKept;
}

float ToRange(float value) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  return std::copysign(std::clamp(std::abs(value), kLeastConstant, kFloat16Max), value);
}

// Constants of other types stay as they are.
void HalveConstant(onnx::TensorProto& constant) {
  if (constant.data_type() != kFloat) {
    return;
  }
  const Tensor values = TensorOf(constant, {});
  std::vector<Float16> halves;
  halves.reserve(static_cast<std::size_t>(values.ElementCount()));
  for (const float value : values.values<float>()) {
    halves.push_back(Float16::FromFloat(ToRange(value)));
  }
  constant.clear_float_data();
  constant.set_data_type(kHalf);
  constant.set_raw_data(halves.data(), halves.size() * sizeof(Float16));
}

bool IsFloat(const onnx::ValueInfoProto& value) {
  return value.type().has_tensor_type() && value.type().tensor_type().elem_type() == kFloat;
}

// Tensors, also those of sequences and optional values.
void HalveType(onnx::TypeProto& type) {
  if (type.has_tensor_type()) {
    if (type.tensor_type().elem_type() == kFloat) {
      type.mutable_tensor_type()->set_elem_type(kHalf);
    }
  } else if (type.has_sequence_type()) {
    HalveType(*type.mutable_sequence_type()->mutable_elem_type());
  } else if (type.has_optional_type()) {
    HalveType(*type.mutable_optional_type()->mutable_elem_type());
  }
}

void HalveValue(onnx::ValueInfoProto& value) {
  if (value.has_type()) {
    HalveType(*value.mutable_type());
  }
}

// "value", and what stands for it in Constant: float numbers without a tensor.
void HalveAttribute(onnx::AttributeProto& attribute) {
  if (attribute.name() == "value_float" || attribute.name() == "value_floats") {
    onnx::TensorProto constant;
    constant.set_data_type(kFloat);
    if (attribute.name() == "value_float") {
      constant.add_float_data(attribute.f());
    } else {
      constant.add_dims(attribute.floats_size());
      *constant.mutable_float_data() = attribute.floats();
    }
    attribute.Clear();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    *attribute.mutable_t() = std::move(constant);
  }
  if (attribute.has_t()) {
    HalveConstant(*attribute.mutable_t());
  }
  const bool names_type = attribute.name() == "to" || attribute.name() == "dtype";
  if (names_type && attribute.i() == kFloat) {
    attribute.set_i(kHalf);
  }
}

bool HasAttribute(const onnx::NodeProto& node, std::string_view name) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [&](const auto& attribute) { return attribute.name() == name; });
}

// Without a value it makes zeros in float32.
void GiveValue(onnx::NodeProto& constant_of_shape) {
  if (HasAttribute(constant_of_shape, "value")) {
    return;
  }
  onnx::AttributeProto& attribute = *constant_of_shape.add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(kFloat);
  attribute.mutable_t()->add_dims(1);
  attribute.mutable_t()->add_float_data(0);
}

// Rewrites a graph: the network, or a body of control flow, whose inputs and outputs become
// float16. Values in float16 keep their names, those of the boundary get new ones.
class Float16Graph {
 public:
  explicit Float16Graph(onnx::GraphProto& network) : graph_(network), suffix_("_float32") {
    CollectConstants();
    for (const auto& input : graph_.input()) {
      if (IsFloat(input)) {
        halves_[input.name()] = input.name() + "_float16";
        floats_[input.name()] = input.name();
        AddCast(input.name(), halves_[input.name()], kHalf);
      }
    }
    for (const auto& output : graph_.output()) {
      if (IsFloat(output)) {
        halves_.emplace(output.name(), output.name() + "_float16");
      }
    }
  }

  void RewriteNetwork() {
    RewriteNodes();
    for (const auto& output : graph_.output()) {
      if (IsFloat(output)) {
        AddCast(halves_.at(output.name()), output.name(), kFloat);
      }
    }
    Finish();
  }

 private:
  // A body sees the names of the graph around it.
  Float16Graph(onnx::GraphProto& body, const Float16Graph& outer, std::string suffix)
      : graph_(body),
        suffix_(std::move(suffix)),
        halves_(outer.halves_),
        floats_(outer.floats_),
        float_values_(outer.float_values_) {
    CollectConstants();
  }

  void RewriteBody() {
    for (onnx::ValueInfoProto& input : *graph_.mutable_input()) {
      HalveValue(input);
    }
    for (onnx::ValueInfoProto& output : *graph_.mutable_output()) {
      HalveValue(output);
    }
    RewriteNodes();
    Finish();
  }

  // Before anything becomes float16.
  void CollectConstants() {
    for (const auto& initializer : graph_.initializer()) {
      if (initializer.data_type() == kFloat) {
        constants_.emplace(initializer.name(), &initializer);
        float_values_.insert(initializer.name());
      }
    }
    for (const auto* values : {&graph_.input(), &graph_.value_info()}) {
      for (const auto& value : *values) {
        if (IsFloat(value)) {
          float_values_.insert(value.name());
        }
      }
    }
  }

  void RewriteNodes() {
    for (const auto& node : graph_.node()) {
      AddNode(node);
    }
  }

  void Finish() {
    graph_.mutable_node()->Swap(made_.mutable_node());
    for (onnx::TensorProto& initializer : *graph_.mutable_initializer()) {
      HalveConstant(initializer);
      initializer.set_name(HalfName(initializer.name()));
    }
    for (onnx::TensorProto& initializer : *made_.mutable_initializer()) {
      *graph_.add_initializer() = std::move(initializer);
    }
    for (onnx::ValueInfoProto& value : *graph_.mutable_value_info()) {
      HalveValue(value);
    }
  }

  void AddNode(onnx::NodeProto node) {
    const KeptOperands* const kept = KeptOf(node);
    for (int i = 0; i < node.input_size(); ++i) {
      std::string& input = *node.mutable_input(i);
      if (!input.empty()) {
        input = KeepsInput(kept, i) ? FloatName(input) : HalfName(input);
      }
    }
    if (node.op_type() == "ConstantOfShape") {
      GiveValue(node);
    }
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      NoteCastToFloat(node, attribute);
      HalveAttribute(attribute);
      if (attribute.has_g()) {
        Float16Graph(*attribute.mutable_g(), *this, suffix_ + "_" + std::to_string(++bodies_))
            .RewriteBody();
      }
    }
    std::string result;  // that stays float32
    for (int i = 0; i < node.output_size(); ++i) {
      std::string& output = *node.mutable_output(i);
      if (kept != nullptr && kept->output == static_cast<std::size_t>(i) && !output.empty()) {
        result = output;
        output += suffix_;
        floats_[result] = output;
      } else {
        output = HalfName(output);
      }
    }
    *made_.add_node() = std::move(node);
    if (!result.empty()) {
      AddCast(floats_.at(result), HalfName(result), kHalf);
    }
  }

  // Null: no operand stays float32.
  [[nodiscard]] const KeptOperands* KeptOf(const onnx::NodeProto& node) const {
    for (const KeptOperands& kept : KeptOperators()) {
      if (kept.op == node.op_type()) {
        const bool stays = kept.when == KeptWhen::kAlways ||
                           (node.input_size() > 0 && float_values_.contains(node.input(0)));
        return stays ? &kept : nullptr;
      }
    }
    return nullptr;
  }

  static bool KeepsInput(const KeptOperands* kept, int position) {
    return kept != nullptr && std::find(kept->inputs.begin(), kept->inputs.end(),
                                        static_cast<std::size_t>(position)) != kept->inputs.end();
  }

  // Before the attribute is rewritten.
  void NoteCastToFloat(const onnx::NodeProto& node, const onnx::AttributeProto& attribute) {
    if (node.op_type() == "Cast" && attribute.name() == "to" && attribute.i() == kFloat) {
      float_values_.insert(node.output(0));
    }
  }

  [[nodiscard]] std::string HalfName(const std::string& name) const {
    const auto found = halves_.find(name);
    return found == halves_.end() ? name : found->second;
  }

  // A constant keeps all its digits; anything else is cast back, once in each graph.
  std::string FloatName(const std::string& name) {
    if (const auto found = floats_.find(name); found != floats_.end()) {
      return found->second;
    }
    std::string kept = name + suffix_;
    floats_[name] = kept;
    if (const auto constant = constants_.find(name); constant != constants_.end()) {
      onnx::TensorProto& copy = *made_.add_initializer();
      copy = *constant->second;
      copy.set_name(kept);
    } else {
      AddCast(HalfName(name), kept, kFloat);
    }
    return kept;
  }

  void AddCast(const std::string& from, const std::string& to, int type) {
    onnx::NodeProto& cast = *made_.add_node();
    cast.set_op_type("Cast");
    cast.add_input(from);
    cast.add_output(to);
    onnx::AttributeProto& attribute = *cast.add_attribute();
    attribute.set_name("to");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(type);
  }

  onnx::GraphProto& graph_;
  std::string suffix_;                         // of values that stay float32
  std::map<std::string, std::string> halves_;  // names in float16, where they are not the same
  std::map<std::string, std::string> floats_;  // names in float32 of values that have one
  std::set<std::string> float_values_;         // original names of values known to be float32
  std::map<std::string, const onnx::TensorProto*> constants_;
  onnx::GraphProto made_;  // the rewritten nodes, and constants that stay float32
  int bodies_ = 0;
};

}  // namespace

std::string Float16Model(std::string_view model) {
  onnx::ModelProto proto = ParseModelBytes(model);
  Float16Graph(*proto.mutable_graph()).RewriteNetwork();
  return proto.SerializeAsString();
}

}  // namespace halftone
