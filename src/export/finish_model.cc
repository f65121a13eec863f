#include "src/export/finish_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "src/base/error.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

// Protobuf refuses larger messages.
constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();

// Keeps the entries of a list whose name is in `names`, or, where `kept` is false, is not.
template <typename List>
void Keep(List& list, const std::set<std::string>& names, bool kept = true) {
  const auto end = std::remove_if(list.begin(), list.end(), [&](const auto& entry) {
    return names.contains(entry.name()) != kept;
  });
  list.DeleteSubrange(static_cast<int>(end - list.begin()), static_cast<int>(list.end() - end));
}

}  // namespace

void CheckReads(const onnx::GraphProto& graph) {
  std::set<std::string> known;
  for (const auto& input : graph.input()) {
    known.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    known.insert(initializer.name());
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& name : NamesReadBy(graph.node(i))) {
      if (!name.empty() && !known.contains(name)) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{} reads tensor '{}', which an integer operator folds into "
                                "itself; leave the operators that make it in a float format",
                                DescribeProto(graph.node(i), i), name));
      }
    }
    known.insert(graph.node(i).output().begin(), graph.node(i).output().end());
  }
}

void DropUnused(onnx::GraphProto& graph) {
  std::set<std::string> used;
  std::set<std::string> made;
  for (const auto& output : graph.output()) {
    used.insert(output.name());
  }
  for (const auto& node : graph.node()) {
    for (std::string& name : NamesReadBy(node)) {
      used.insert(std::move(name));
    }
    made.insert(node.output().begin(), node.output().end());
  }
  std::set<std::string> constants;
  for (const auto& initializer : graph.initializer()) {
    constants.insert(initializer.name());
  }
  Keep(*graph.mutable_input(), constants, false);
  Keep(*graph.mutable_initializer(), used);
  Keep(*graph.mutable_value_info(), made);
}

void TakeExternalData(onnx::GraphProto& graph, const std::filesystem::path& folder) {
  for (auto& initializer : *graph.mutable_initializer()) {
    if (initializer.data_location() != onnx::TensorProto::EXTERNAL) {
      continue;
    }
    const Tensor tensor = TensorOf(initializer, folder);
    initializer.clear_external_data();
    initializer.clear_data_location();
    initializer.set_raw_data(tensor.data(), tensor.size_bytes());
  }
}

std::string Serialised(const onnx::ModelProto& model) {
  if (model.ByteSizeLong() > kMostBytes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the file would have {} bytes, an ONNX file holds at most {}; keep "
                            "fewer operators in float formats",
                            model.ByteSizeLong(), kMostBytes));
  }
  return model.SerializeAsString();
}

}  // namespace halftone
