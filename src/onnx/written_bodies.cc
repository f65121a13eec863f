// Cost and limit of bodies that are written out more than once: iterations, calls of functions.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "src/base/error.h"
#include "src/onnx/attribute.h"
#include "src/onnx/constant_node.h"
#include "src/onnx/graph_importer.h"

namespace halftone {
namespace {

// Nodes and values that bodies may become, those of nested ones counted where they are written: a
// network beyond it is too long to measure, and the file hostile. About a second.
constexpr std::int64_t kMostWritten = 200'000;

constexpr std::string_view kWrittenOut =
    "each iteration and each call of a function is written out, with those inside it";

// Constants are read once (GraphImporter::KeptConstant()).
double BytesWithoutConstants(const onnx::GraphProto& body) {
  double bytes = 0;
  for (const auto& node : body.node()) {
    bytes += node.op_type() == "Constant" ? 0 : static_cast<double>(node.ByteSizeLong());
  }
  for (const auto& value : body.input()) {
    bytes += static_cast<double>(value.ByteSizeLong());
  }
  for (const auto& value : body.output()) {
    bytes += static_cast<double>(value.ByteSizeLong());
  }
  return bytes;
}

const onnx::NodeProto* ProducerIn(const onnx::GraphProto& body, const std::string& name) {
  for (const auto& node : body.node()) {
    if (std::find(node.output().begin(), node.output().end(), name) != node.output().end()) {
      return &node;
    }
  }
  return nullptr;
}

}  // namespace

BodyCost CostOf(const onnx::GraphProto& body) {
  return {.written = body.node_size() + body.input_size() + body.output_size() + 1,
          .operations = BytesWithoutConstants(body)};
}

// Cost of names and nodes of a body: a name begins with those of the nodes around it.
LoadCost GraphImporter::LoadCostOf(const BodyCost& body, const std::string& prefix) {
  return {.operations = body.operations,
          .bytes = static_cast<double>(body.written) * static_cast<double>(prefix.size())};
}

void GraphImporter::CountWritten(std::int64_t nodes) {
  written_ += nodes;
  if (written_ > kMostWritten) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("more than {} nodes and values: {}", kMostWritten, kWrittenOut));
  }
}

void GraphImporter::Spend(const LoadCost& cost) {
  if (!builder_.budget.Take(cost)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}; what is next {}: make the model smaller, or the number of "
                            "iterations",
                            kWrittenOut, builder_.budget.Refusal(cost)));
  }
}

void GraphImporter::RequireAffordable(std::int64_t iterations, const BodyCost& body,
                                      const std::string& prefix) const {
  if (iterations <= (kMostWritten - written_) / body.written) {
    LoadCost cost = LoadCostOf(body, prefix);
    cost.operations *= static_cast<double>(iterations);
    cost.bytes *= static_cast<double>(iterations);
    if (!builder_.budget.Affords(cost)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{} iterations: writing them out {}: make the number of iterations "
                              "smaller",
                              iterations, builder_.budget.Refusal(cost)));
    }
    return;
  }
  const std::string count = iterations == std::numeric_limits<std::int64_t>::max()
                                ? "iterations without end"
                                : fmt::format("{} iterations", iterations);
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("{} of {} nodes and values each, {} of {} are left: {}; make the number of "
                  "iterations smaller",
                  count, body.written, std::max<std::int64_t>(kMostWritten - written_, 0),
                  kMostWritten, kWrittenOut));
}

std::optional<bool> GraphImporter::KnownCondition(const onnx::GraphProto& body,
                                                  const Scope& shared) {
  constexpr int kSteps = 100;  // through copies
  std::string name = body.output(0).name();
  for (int step = 0; step < kSteps; ++step) {
    if (name == body.input(1).name()) {
      return true;  // an iteration happens where it was
    }
    const onnx::NodeProto* node = ProducerIn(body, name);
    if (node == nullptr) {
      const ValueId id = shared.Find(name);
      const bool constant = id >= 0 && builder_.graph.value(id).constant.has_value();
      return constant ? BoolOf(*builder_.graph.value(id).constant) : std::nullopt;
    }
    if (node->op_type() == "Constant" && node->output_size() == 1) {
      return BoolOf(ConstantNodeValue(AttributesOf(*node, folder_)));
    }
    if (node->op_type() != "Identity" || node->input_size() != 1) {
      return std::nullopt;
    }
    name = node->input(0);
  }
  return std::nullopt;
}

std::optional<bool> GraphImporter::BoolOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kBool || tensor.ElementCount() != 1) {
    return std::nullopt;  // what reads it says so
  }
  return IntegersOf(tensor).at(0) != 0;
}

std::vector<ValueId> GraphImporter::Iterate(const onnx::GraphProto& body, const BodyCost& cost,
                                            std::int64_t iteration,
                                            const std::vector<ValueId>& inputs,
                                            const Scope& shared) {
  return WithContext([&] { return fmt::format("iteration {}", iteration); },
                     [&] {
                       CountWritten(cost.written);
                       Scope inner{.ids = {},
                                   .outer = &shared,
                                   .prefix = fmt::format("{}{}/", shared.prefix, iteration)};
                       Spend(LoadCostOf(cost, inner.prefix));
                       for (std::size_t k = 0; k < inputs.size(); ++k) {
                         inner.ids[body.input(static_cast<int>(k)).name()] = inputs[k];
                       }
                       return ImportBody(body, inner, "body");
                     });
}

ValueId GraphImporter::KeptConstant(const void* proto, const std::function<ValueId()>& make) {
  if (depth_ > 0) {  // bodies of calls are copies: addresses say nothing
    const ValueId made = make();
    Spend({.bytes = static_cast<double>(builder_.graph.value(made).type.size_bytes())});
    return made;
  }
  const auto [entry, is_new] = kept_constants_.try_emplace(proto, kNoValue);
  if (is_new) {
    entry->second = make();
  }
  return entry->second;
}

void GraphImporter::AllowForNodes() {
  const onnx::GraphProto& graph = model_.graph();
  for (const auto& node : graph.node()) {
    builder_.budget.Allow(static_cast<double>(node.ByteSizeLong()));
  }
  for (const auto& function : model_.functions()) {
    builder_.budget.Allow(static_cast<double>(function.ByteSizeLong()));
  }
}

}  // namespace halftone
