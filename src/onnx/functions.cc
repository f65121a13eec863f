#include "src/onnx/functions.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include "src/base/error.h"
#include "src/onnx/graph_importer.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

using AttributesByName = std::unordered_map<std::string, onnx::AttributeProto>;

std::string KeyOf(const std::string& domain, const std::string& name) {
  return (IsDefaultDomain(domain) ? std::string() : domain) + ":" + name;
}

// FunctionProto.attribute_proto: attributes with defaults. Not in the classes of ONNX 1.12, which
// keep its bytes.
constexpr int kDefaultsField = 11;

AttributesByName DefaultsOf(const onnx::FunctionProto& function) {
  AttributesByName defaults;
  const auto& fields = function.GetReflection()->GetUnknownFields(function);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    onnx::AttributeProto attribute;
    if (field.number() == kDefaultsField &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        attribute.ParseFromString(field.length_delimited())) {
      defaults[attribute.name()] = attribute;
    }
  }
  return defaults;
}

void PutIn(const AttributesByName& values, onnx::NodeProto& node);

void PutIn(const AttributesByName& values, onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node()) {
    PutIn(values, node);
  }
}

// Subgraphs are nested as deeply as protobuf reads at most.
void PutIn(const AttributesByName& values, onnx::NodeProto& node) {
  onnx::NodeProto original;
  original.mutable_attribute()->Swap(node.mutable_attribute());
  for (auto& attribute : *original.mutable_attribute()) {
    if (!attribute.ref_attr_name().empty()) {
      const auto found = values.find(attribute.ref_attr_name());
      if (found != values.end()) {
        onnx::AttributeProto& value = *node.add_attribute();
        value = found->second;
        value.set_name(attribute.name());
      }
      continue;
    }
    if (attribute.has_g()) {
      PutIn(values, *attribute.mutable_g());
    }
    for (auto& graph : *attribute.mutable_graphs()) {
      PutIn(values, graph);
    }
    node.add_attribute()->Swap(&attribute);
  }
}

}  // namespace

ModelFunctions::ModelFunctions(const onnx::ModelProto& model) {
  for (const auto& function : model.functions()) {
    if (!functions_.emplace(KeyOf(function.domain(), function.name()), &function).second) {
      throw Error(ErrorKind::kModel, fmt::format("function '{}' of domain '{}' is defined twice",
                                                 function.name(), function.domain()));
    }
  }
}

const onnx::FunctionProto* ModelFunctions::Find(const onnx::NodeProto& node) const {
  const auto found = functions_.find(KeyOf(node.domain(), node.op_type()));
  return found != functions_.end() ? found->second : nullptr;
}

onnx::GraphProto BodyOfCall(const onnx::FunctionProto& function, const onnx::NodeProto& call) {
  AttributesByName values = DefaultsOf(function);
  for (const auto& attribute : call.attribute()) {
    values[attribute.name()] = attribute;
  }
  onnx::GraphProto body;
  for (const std::string& input : function.input()) {
    body.add_input()->set_name(input);
  }
  for (const std::string& output : function.output()) {
    body.add_output()->set_name(output);
  }
  *body.mutable_node() = function.node();
  PutIn(values, body);
  return body;
}

std::int64_t OpsetOfFunction(const onnx::FunctionProto& function, std::int64_t fallback) {
  for (const auto& opset : function.opset_import()) {
    if (IsDefaultDomain(opset.domain())) {
      return opset.version();
    }
  }
  return fallback;
}

// State of the importer while it reads a body.
class GraphImporter::CallFrame {
 public:
  CallFrame(GraphImporter& importer, std::int64_t opset)
      : importer_(importer), opset_(importer.opset_), initializers_(importer.initializers_) {
    importer_.opset_ = opset;
    importer_.initializers_ = nullptr;  // known by addresses, which those of a copy are not
    ++importer_.depth_;
  }

  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  ~CallFrame() {
    --importer_.depth_;
    importer_.initializers_ = initializers_;
    importer_.opset_ = opset_;
  }

 private:
  GraphImporter& importer_;
  std::int64_t opset_;
  InitializerTensors* initializers_;
};

void GraphImporter::ImportCall(const onnx::NodeProto& proto, const onnx::FunctionProto& function,
                               const std::string& name, Scope& scope) {
  constexpr int kDeepest = 30;  // as subgraphs
  if (depth_ == kDeepest) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("functions call each other more than {} deep", kDeepest));
  }
  if (proto.input_size() > function.input_size() || proto.output_size() > function.output_size()) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected at most {} inputs and {} outputs, as function '{}' has, got "
                            "{} and {}",
                            function.input_size(), function.output_size(), function.name(),
                            proto.input_size(), proto.output_size()));
  }
  Spend({.operations = static_cast<double>(function.ByteSizeLong() + proto.ByteSizeLong())});
  const onnx::GraphProto body = BodyOfCall(function, proto);
  CountWritten(CostOf(body).written);
  const Scope nothing;  // a body sees its operands only
  Scope inner{.ids = {}, .outer = &nothing, .prefix = name + "/"};
  for (int i = 0; i < function.input_size(); ++i) {
    const bool given = i < proto.input_size() && !proto.input(i).empty();
    inner.ids[function.input(i)] = given ? scope.Find(proto.input(i)) : kNoValue;
  }
  const CallFrame frame(*this, OpsetOfFunction(function, opset_));
  NameOutputs(proto, name, ImportBody(body, inner, "function"), scope);
}

}  // namespace halftone
