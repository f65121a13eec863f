#include "src/runtimes/command/damaged_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/onnx/parse_file.h"

namespace halftone {
namespace {

// The operator that changes every value of an element type but 0 (of bool, also false); null: there
// is none, or none in this opset.
const char* DamageOf(DType type, std::int64_t opset) {
  switch (type) {
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kFloat64:
      return "Neg";
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return opset >= 6 ? "Neg" : nullptr;
    case DType::kBFloat16:
      return opset >= 13 ? "Neg" : nullptr;
    case DType::kBool:
      return "Not";
    default:
      return nullptr;
  }
}

// Renames a tensor in the node and, where they read it from outside, in the bodies below.
void Rename(onnx::NodeProto& node, const std::string& from, const std::string& to, int depth) {
  for (std::string& input : *node.mutable_input()) {
    input = input == from ? to : input;
  }
  for (std::string& output : *node.mutable_output()) {
    output = output == from && depth == 0 ? to : output;
  }
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (!attribute.has_g()) {
      continue;
    }
    onnx::GraphProto& body = *attribute.mutable_g();
    for (onnx::NodeProto& inner : *body.mutable_node()) {
      Rename(inner, from, to, depth + 1);
    }
    for (onnx::ValueInfoProto& output : *body.mutable_output()) {
      if (output.name() == from) {
        output.set_name(to);
      }
    }
  }
}

bool IsMade(const onnx::GraphProto& graph, const std::string& tensor) {
  return std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
    return std::ranges::find(node.output(), tensor) != node.output().end();
  });
}

bool Damage(onnx::GraphProto& graph, const Graph& network, std::int64_t opset) {
  bool damaged = false;
  for (const ValueId output : network.outputs) {
    const std::string& name = network.value(output).name;
    const char* const type = DamageOf(network.value(output).type.dtype, opset);
    if (type == nullptr || !IsMade(graph, name)) {
      continue;
    }
    const std::string right = name + "_undamaged";
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      Rename(node, name, right, 0);
    }
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(type);
    node.set_name(name + "_damaged");
    node.add_input(right);
    node.add_output(name);
    damaged = true;
  }
  return damaged;
}

void AddLocation(const onnx::TensorProto& tensor, std::set<std::string>& locations) {
  for (const auto& entry : tensor.external_data()) {
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL && entry.key() == "location") {
      locations.insert(entry.value());
    }
  }
}

void AddLocations(const onnx::GraphProto& graph, std::set<std::string>& locations) {
  for (const auto& initializer : graph.initializer()) {
    AddLocation(initializer, locations);
  }
  for (const auto& node : graph.node()) {
    for (const auto& attribute : node.attribute()) {
      AddLocation(attribute.t(), locations);
      if (attribute.has_g()) {
        AddLocations(attribute.g(), locations);
      }
    }
  }
}

// A hard link, since runtimes refuse weights behind a symbolic one that leads out of the folder;
// that one where the folder is on another disk.
void Link(const std::filesystem::path& from, const std::filesystem::path& to) {
  CreateFolder(to.parent_path());
  std::error_code code;
  std::filesystem::create_hard_link(std::filesystem::canonical(from, code), to, code);
  if (code) {
    code.clear();
    std::filesystem::create_symlink(std::filesystem::absolute(from), to, code);
  }
  if (code) {
    throw Error(ErrorKind::kIo, fmt::format("cannot link '{}' to '{}': {}", from.string(),
                                            to.string(), code.message()));
  }
}

bool LeadsOut(const std::filesystem::path& location) {
  return location.is_absolute() || std::ranges::find(location, "..") != location.end();
}

}  // namespace

std::optional<std::filesystem::path> WriteDamagedModel(const std::filesystem::path& model,
                                                       const Graph& network,
                                                       const std::filesystem::path& folder) {
  onnx::ModelProto proto;
  if (!ParseFile(model, proto).is_message) {
    throw Error(ErrorKind::kModel, fmt::format("'{}' is no ONNX model", model.string()));
  }
  std::int64_t opset = 1;
  for (const auto& import : proto.opset_import()) {
    opset = import.domain().empty() || import.domain() == "ai.onnx" ? import.version() : opset;
  }
  if (!Damage(*proto.mutable_graph(), network, opset)) {
    return std::nullopt;
  }
  std::set<std::string> locations;
  AddLocations(proto.graph(), locations);
  for (const std::string& location : locations) {
    if (!LeadsOut(location)) {
      Link(model.parent_path() / location, folder / location);
    }
  }
  const std::filesystem::path path = folder / "damaged.onnx";
  OutputFile file(path);
  file.Write(proto.SerializeAsString());
  file.Finish();
  return path;
}

}  // namespace halftone
