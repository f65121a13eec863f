#include "src/onnx/model_file.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <string>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/contrib.h"
#include "src/onnx/functions.h"
#include "src/onnx/graph_importer.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/parse_file.h"
#include "src/onnx/reader.h"
#include "src/onnx/upgrade.h"

namespace halftone {
namespace {

// Operators that the importer replaces by constants, tensors, a branch or iterations.
bool IsReplaced(std::string_view type) {
  return type == "Constant" || type == "If" || type == "Loop" || type == "Scan" ||
         IsSequenceOperator(type);
}

// Operators whose results differ between two runs: there is nothing to compare a precision with.
constexpr std::string_view kRandom[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                        "RandomNormalLike", "RandomUniform", "RandomUniformLike"};

bool IsRandom(const onnx::NodeProto& node) {
  return IsDefaultDomain(node.domain()) && std::ranges::count(kRandom, node.op_type()) > 0;
}

std::string FullType(const onnx::NodeProto& node) {
  return IsDefaultDomain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

bool IsMissing(const onnx::NodeProto& node) {
  if (IsContribDomain(node.domain())) {
    return !IsContribOperator(node.op_type());
  }
  return !IsDefaultDomain(node.domain()) ||
         !(IsReplaced(node.op_type()) || IsKnownOperator(node.op_type()));
}

}  // namespace

std::filesystem::path ModelFile(const std::filesystem::path& model) {
  std::error_code error;
  if (std::filesystem::status(model, error).type() == std::filesystem::file_type::not_found) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("'{}' does not exist; expected an ONNX file, or a folder with model.onnx",
                    model.string()));
  }
  if (!std::filesystem::is_directory(model, error)) {
    return model;
  }
  std::filesystem::path file = model / "model.onnx";
  if (!std::filesystem::exists(file, error)) {
    throw Error(ErrorKind::kIo,
                fmt::format("the folder '{}' holds no model.onnx; name the file of the network",
                            model.string()));
  }
  return file;
}

std::shared_ptr<onnx::ModelProto> LoadModel(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::exists(file, code) && !std::filesystem::is_directory(file, code) &&
      !std::filesystem::is_regular_file(file, code)) {
    throw Error(ErrorKind::kIo, "expected a regular file, found a pipe or a device");
  }
  auto model = std::make_shared<onnx::ModelProto>();
  const ParsedFile parsed = ParseFile(file, *model);
  if (parsed.size_bytes == 0) {
    throw Error(ErrorKind::kModel, "expected an ONNX model, the file is empty");
  }
  if (!parsed.is_message) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected an ONNX model, {} bytes do not parse as one: cut short, of "
                            "another format, or with subgraphs more than 30 deep",
                            parsed.size_bytes));
  }
  if (!model->has_graph()) {
    throw Error(ErrorKind::kModel, "expected an ONNX model, the file holds no graph");
  }
  return model;
}

bool IsDefaultDomain(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::int64_t OpsetOf(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (!IsDefaultDomain(import.domain())) {
      continue;
    }
    if (import.version() < kOldestOpset || import.version() > kNewestOpset) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("opset {} is not supported, {} to {} are: convert the model",
                              import.version(), kOldestOpset, kNewestOpset));
    }
    return import.version();
  }
  // Operators of other domains need none; RefuseMissingOperators() says which halftone lacks.
  const auto& nodes = model.graph().node();
  const auto node = std::ranges::find_if(
      nodes, [](const onnx::NodeProto& each) { return IsDefaultDomain(each.domain()); });
  if (node == nodes.end() && !nodes.empty()) {
    return kNewestOpset;
  }
  throw Error(ErrorKind::kModel,
              "expected an opset of the domain ai.onnx, the model declares none");
}

void RefuseMissingOperators(const onnx::GraphProto& graph, std::int64_t opset,
                            const ModelFunctions& functions) {
  std::map<std::string, int> counts;
  int first = -1;
  for (int n = 0; n < graph.node_size(); ++n) {
    if (functions.Find(graph.node(n)) == nullptr && IsMissing(graph.node(n))) {
      ++counts[FullType(graph.node(n))];
      first = first < 0 ? n : first;
    }
  }
  if (first < 0) {
    return;
  }
  std::vector<std::string> all;
  all.reserve(counts.size());
  for (const auto& [type, count] : counts) {
    all.push_back(fmt::format("{} ({})", type, count));
  }
  if (IsRandom(graph.node(first))) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("{}: {} draws random numbers, so that two runs cannot be compared: make "
                    "its result an input of the model",
                    DescribeProto(graph.node(first), first), FullType(graph.node(first))));
  }
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format(
          "{}: halftone does not have operator {}{}; missing for this model, with "
          "the number of nodes: {}; export the model with operators of docs/reference/operators.md",
          DescribeProto(graph.node(first), first), FullType(graph.node(first)),
          IsDefaultDomain(graph.node(first).domain()) ? fmt::format(" of opset {}", opset) : "",
          Join(all, ", ")));
}

}  // namespace halftone
