#include "src/export/check_onnx.h"

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// TensorProto.DataType of a tensor; 0: not known, or no tensor.
using ElementType = int;
constexpr ElementType kUnknown = onnx::TensorProto::UNDEFINED;

// Larger initializers are inputs of the model that is checked: types and shapes without bytes.
constexpr int kMostElements = 128;

ElementType TypeOf(const onnx::ValueInfoProto& value) {
  return value.type().has_tensor_type() ? value.type().tensor_type().elem_type() : kUnknown;
}

// Newer types than the library has have no name there.
bool HasName(ElementType type) {
  return type <= onnx::TensorProto::BFLOAT16;
}

// "float16" of tensor(float16).
std::string NameOfType(ElementType type) {
  if (!HasName(type)) {
    return fmt::format("type {}", type);
  }
  onnx::TypeProto proto;
  proto.mutable_tensor_type()->set_elem_type(type);
  const std::string& text = *onnx::Utils::DataTypeUtils::ToType(proto);
  return text.substr(text.find('(') + 1, text.find(')') - text.find('(') - 1);
}

const onnx::AttributeProto* Find(const onnx::NodeProto& node, std::string_view name) {
  const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                  [&](const auto& a) { return a.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

// Results whose type is in the attributes of their node.
ElementType TypeInAttributes(const onnx::NodeProto& node) {
  struct Row {
    std::string_view attribute;
    ElementType type;
  };

  constexpr Row kConstants[] = {
      {"value_float", onnx::TensorProto::FLOAT},   {"value_floats", onnx::TensorProto::FLOAT},
      {"value_int", onnx::TensorProto::INT64},     {"value_ints", onnx::TensorProto::INT64},
      {"value_string", onnx::TensorProto::STRING}, {"value_strings", onnx::TensorProto::STRING},
  };
  if (node.op_type() == "Cast") {
    const onnx::AttributeProto* const to = Find(node, "to");
    return to == nullptr ? kUnknown : static_cast<ElementType>(to->i());
  }
  if (node.op_type() != "Constant" && node.op_type() != "ConstantOfShape") {
    return kUnknown;
  }
  if (const onnx::AttributeProto* const value = Find(node, "value")) {
    return value->t().data_type();
  }
  for (const Row& row : kConstants) {
    if (Find(node, row.attribute) != nullptr) {
      return row.type;
    }
  }
  return node.op_type() == "Constant" ? kUnknown
                                      : static_cast<ElementType>(onnx::TensorProto::FLOAT);
}

// Tensors that a graph sees: its own, and those of the graphs around it.
struct Scope {
  std::map<std::string, ElementType, std::less<>> types;
  const Scope* outer = nullptr;

  [[nodiscard]] const ElementType* Find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      if (const auto found = scope->types.find(name); found != scope->types.end()) {
        return &found->second;
      }
    }
    return nullptr;
  }
};

class TypeChecker {
 public:
  explicit TypeChecker(const onnx::ModelProto& model) {
    const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    for (const auto& domain : model.opset_import()) {
      const std::string name = IsDefaultDomain(domain.domain()) ? "" : domain.domain();
      const auto found = known.find(name);
      versions_[name] = {static_cast<int>(domain.version()),
                         found == known.end() ? 0 : found->second.second};
    }
  }

  // Types of the results.
  std::vector<ElementType> Check(const onnx::GraphProto& graph, const Scope* outer) {
    Scope scope{.types = {}, .outer = outer};
    for (const auto& input : graph.input()) {
      scope.types[input.name()] = TypeOf(input);
    }
    for (const auto& initializer : graph.initializer()) {
      scope.types[initializer.name()] = initializer.data_type();
    }
    for (const auto& initializer : graph.sparse_initializer()) {
      scope.types[initializer.values().name()] = initializer.values().data_type();
    }
    std::map<std::string, std::string> makers;
    for (int i = 0; i < graph.node_size(); ++i) {
      CheckNode(graph.node(i), DescribeProto(graph.node(i), i), scope, makers);
    }
    for (const auto& value : graph.value_info()) {
      CheckDeclared(value, "tensor", scope, makers);
    }
    std::vector<ElementType> results;
    for (const auto& output : graph.output()) {
      CheckDeclared(output, "output", scope, makers);
      const ElementType* const found = scope.Find(output.name());
      if (found == nullptr) {
        Refuse(fmt::format("nothing makes output '{}'", output.name()));
      }
      results.push_back(*found == kUnknown ? TypeOf(output) : *found);
    }
    return results;
  }

 private:
  struct Version {
    int of_model = 0;
    int newest_known = 0;
  };

  [[noreturn]] static void Refuse(const std::string& what) {
    throw Error(ErrorKind::kUnsupported, what);
  }

  static void CheckDeclared(const onnx::ValueInfoProto& value, std::string_view what,
                            const Scope& scope, const std::map<std::string, std::string>& makers) {
    const ElementType* const found = scope.Find(value.name());
    const ElementType declared = TypeOf(value);
    if (found == nullptr || *found == kUnknown || declared == kUnknown || *found == declared) {
      return;
    }
    const auto maker = makers.find(value.name());
    Refuse(fmt::format("{} makes {} '{}' as {}, and the file declares it as {}",
                       maker == makers.end() ? "the file" : maker->second, what, value.name(),
                       NameOfType(*found), NameOfType(declared)));
  }

  // The schema of the newest form of an operator that the library has, up to the model's opset.
  [[nodiscard]] const onnx::OpSchema* SchemaOf(const onnx::NodeProto& node) const {
    const std::string domain = IsDefaultDomain(node.domain()) ? "" : node.domain();
    const auto version = versions_.find(domain);
    return version == versions_.end()
               ? nullptr
               : onnx::OpSchemaRegistry::Schema(
                     node.op_type(),
                     std::min(version->second.of_model, version->second.newest_known), domain);
  }

  // Whether the schema is that of the model's opset.
  [[nodiscard]] bool IsKnown(const onnx::NodeProto& node) const {
    const auto version = versions_.find(IsDefaultDomain(node.domain()) ? "" : node.domain());
    return version != versions_.end() && version->second.of_model <= version->second.newest_known;
  }

  // The parameter that an operand or a result is of; null: none that says a type.
  static const onnx::OpSchema::FormalParameter* At(
      const std::vector<onnx::OpSchema::FormalParameter>& parameters, int index) {
    const auto at = std::min(static_cast<std::size_t>(index), parameters.size() - 1);
    if (parameters.empty() || (at < static_cast<std::size_t>(index) &&
                               parameters[at].GetOption() != onnx::OpSchema::Variadic)) {
      return nullptr;
    }
    return parameters[at].GetIsHomogeneous() ? &parameters[at] : nullptr;
  }

  static bool Takes(const onnx::OpSchema::FormalParameter& parameter, ElementType type) {
    if (!HasName(type)) {
      return false;
    }
    onnx::TypeProto proto;
    proto.mutable_tensor_type()->set_elem_type(type);
    return parameter.GetTypes().contains(onnx::Utils::DataTypeUtils::ToType(proto));
  }

  struct Bound {
    ElementType type = kUnknown;
    std::string tensor;
  };

  void CheckNode(const onnx::NodeProto& node, const std::string& described, Scope& scope,
                 std::map<std::string, std::string>& makers) {
    for (const std::string& name : NamesReadBy(node)) {
      if (!name.empty() && scope.Find(name) == nullptr) {
        Refuse(fmt::format("{} reads tensor '{}', which nothing before it makes", described, name));
      }
    }
    // Newer pairs have scales of more types.
    const bool of_pair = node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear";
    const onnx::OpSchema* const schema = of_pair && !IsKnown(node) ? nullptr : SchemaOf(node);
    std::map<std::string, Bound> bound;
    if (schema != nullptr) {
      BindOperands(node, described, *schema, scope, bound);
    }
    const std::vector<ElementType> of_bodies = CheckBodies(node, scope);
    for (int i = 0; i < node.output_size(); ++i) {
      const std::string& name = node.output(i);
      if (name.empty()) {
        continue;
      }
      if (!makers.emplace(name, described).second || scope.types.contains(name)) {
        Refuse(fmt::format("{} makes tensor '{}', which the file has already", described, name));
      }
      const auto at = static_cast<std::size_t>(i);
      scope.types[name] = at < of_bodies.size() ? of_bodies[at]
                          : schema == nullptr   ? kUnknown
                                                : TypeOfResult(node, *schema, i, bound);
    }
  }

  void BindOperands(const onnx::NodeProto& node, const std::string& described,
                    const onnx::OpSchema& schema, const Scope& scope,
                    std::map<std::string, Bound>& bound) const {
    for (int i = 0; i < node.input_size(); ++i) {
      const ElementType* const found = scope.Find(node.input(i));
      const auto* const parameter = At(schema.inputs(), i);
      if (parameter == nullptr || found == nullptr || *found == kUnknown) {
        continue;
      }
      if (IsKnown(node) && !Takes(*parameter, *found)) {
        Refuse(fmt::format(
            "{} reads '{}' as {}, which its operand {} does not take in opset {}", described,
            node.input(i), NameOfType(*found), parameter->GetName(),
            versions_.at(IsDefaultDomain(node.domain()) ? "" : node.domain()).of_model));
      }
      const auto [first, is_first] =
          bound.emplace(parameter->GetTypeStr(), Bound{*found, node.input(i)});
      if (!is_first && first->second.type != *found) {
        Refuse(fmt::format("{} reads '{}' as {} and '{}' as {}, and takes one type for both",
                           described, first->second.tensor, NameOfType(first->second.type),
                           node.input(i), NameOfType(*found)));
      }
    }
  }

  // Types of the results of If, Loop and Scan; empty: the node has no body.
  std::vector<ElementType> CheckBodies(const onnx::NodeProto& node, const Scope& scope) {
    std::vector<ElementType> results;
    for (const auto& attribute : node.attribute()) {
      if (!attribute.has_g()) {
        continue;
      }
      std::vector<ElementType> types = Check(attribute.g(), &scope);
      if (node.op_type() == "Loop" && !types.empty()) {
        types.erase(types.begin());  // the condition
      }
      for (std::size_t i = 0; i < std::min(results.size(), types.size()); ++i) {
        if (results[i] != types[i] && results[i] != kUnknown && types[i] != kUnknown) {
          Refuse(fmt::format("node '{}' ({}) makes '{}' as {} in one branch and as {} in the other",
                             node.name(), node.op_type(), node.output(static_cast<int>(i)),
                             NameOfType(results[i]), NameOfType(types[i])));
        }
      }
      results = results.empty() ? std::move(types) : std::move(results);
    }
    return results;
  }

  static ElementType TypeOfResult(const onnx::NodeProto& node, const onnx::OpSchema& schema,
                                  int index, const std::map<std::string, Bound>& bound) {
    if (const ElementType type = TypeInAttributes(node); type != kUnknown) {
      return type;
    }
    const auto* const parameter = At(schema.outputs(), index);
    if (parameter == nullptr) {
      return kUnknown;
    }
    if (const auto found = bound.find(parameter->GetTypeStr()); found != bound.end()) {
      return found->second.type;
    }
    if (parameter->GetTypes().size() != 1) {
      return kUnknown;
    }
    const onnx::TypeProto& type =
        onnx::Utils::DataTypeUtils::ToTypeProto(*parameter->GetTypes().begin());
    return type.has_tensor_type() ? type.tensor_type().elem_type() : kUnknown;
  }

  std::map<std::string, Version> versions_;  // by domain
};

// The model with initializers of more elements as inputs.
onnx::ModelProto WithoutData(const onnx::ModelProto& model) {
  onnx::ModelProto light;
  light.set_ir_version(model.ir_version());
  *light.mutable_opset_import() = model.opset_import();
  *light.mutable_functions() = model.functions();
  const onnx::GraphProto& graph = model.graph();
  onnx::GraphProto& copy = *light.mutable_graph();
  copy.set_name(graph.name().empty() ? "network" : graph.name());
  *copy.mutable_node() = graph.node();
  *copy.mutable_input() = graph.input();
  *copy.mutable_output() = graph.output();
  *copy.mutable_value_info() = graph.value_info();
  for (const auto& initializer : graph.initializer()) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : initializer.dims()) {
      elements *= extent;
    }
    if (elements <= kMostElements && initializer.data_location() != onnx::TensorProto::EXTERNAL) {
      *copy.add_initializer() = initializer;
      continue;
    }
    if (std::any_of(copy.input().begin(), copy.input().end(),
                    [&](const auto& input) { return input.name() == initializer.name(); })) {
      continue;
    }
    onnx::ValueInfoProto& input = *copy.add_input();
    input.set_name(initializer.name());
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(initializer.data_type());
    type.mutable_shape();
    for (const std::int64_t extent : initializer.dims()) {
      type.mutable_shape()->add_dim()->set_dim_value(extent);
    }
  }
  return light;
}

bool LibraryKnows(const onnx::ModelProto& model) {
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  return model.ir_version() <= onnx::Version::IR_VERSION &&
         std::all_of(model.opset_import().begin(), model.opset_import().end(), [&](const auto& of) {
           const auto found = known.find(IsDefaultDomain(of.domain()) ? "" : of.domain());
           return found == known.end() || of.version() <= found->second.second;
         });
}

// The library's messages have several lines.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const std::string_view part : Split(text, '\n')) {
    const std::string_view trimmed = Trim(part);
    line += trimmed.empty() || line.empty() ? trimmed : fmt::format(" {}", trimmed);
  }
  return line;
}

}  // namespace

void CheckOnnx(const onnx::ModelProto& model) {
  TypeChecker(model).Check(model.graph(), nullptr);
  const bool typed = std::all_of(model.graph().output().begin(), model.graph().output().end(),
                                 [](const auto& output) { return output.has_type(); });
  if (!typed || !LibraryKnows(model)) {
    return;
  }
  onnx::ModelProto light = WithoutData(model);
  try {
    onnx::checker::check_model(light);
    const onnx::ShapeInferenceOptions strict(true, 1, false);
    onnx::shape_inference::InferShapes(light, onnx::OpSchemaRegistry::Instance(), strict);
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kUnsupported, OneLine(error.what()));
  }
}

}  // namespace halftone
