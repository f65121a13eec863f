#include "src/exec/operator_signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/exec/fuse_by_plan.h"
#include "src/ir/fusion.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::int64_t kMostListedElements = 16;

// The steps that lowering and layouts put between the nodes of a graph.
constexpr OpKind kAddedOps[] = {OpKind::kCast, OpKind::kTranspose, OpKind::kIdentity,
                                OpKind::kRound};

std::string Place(OpKind op, const Shape& shape) {
  std::vector<std::int64_t> sizes = shape.dims();
  std::sort(sizes.begin(), sizes.end());
  return fmt::format("{} {}", InfoOf(op).name,
                     sizes.empty() ? "scalar" : fmt::format("{}", fmt::join(sizes, "x")));
}

struct AttributeText {
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }

  std::string operator()(float value) const { return fmt::format("{}", value); }

  std::string operator()(const std::string& value) const { return value; }

  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("{}", fmt::join(values, ","));
  }

  std::string operator()(const Tensor& tensor) const {
    return fmt::format("{} #{}", tensor.type().ToString(),
                       Hasher().AddBytes(tensor.bytes()).Finish().ToHex());
  }
};

std::string InputText(const TensorType* type, const Tensor* constant) {
  if (type == nullptr) {
    return "none";
  }
  if (constant == nullptr) {
    return type->ToString();
  }
  std::string text = "const " + type->ToString();
  if (!IsFloating(type->dtype) && constant->ElementCount() <= kMostListedElements) {
    text += fmt::format(" = {}", fmt::join(IntegersOf(*constant), ","));
  }
  return text;
}

void AddPlaces(const Graph& graph, std::set<std::string, std::less<>>& places) {
  const auto add_value = [&](ValueId id) {
    for (const OpKind op : kAddedOps) {
      places.insert(Place(op, graph.value(id).type.shape));
    }
  };
  for (const ValueId id : graph.inputs) {
    add_value(id);
  }
  for (const Node& node : graph.nodes) {
    // The first output, as in compilation; it may be left out.
    const ValueId first = node.outputs.empty() ? kNoValue : node.outputs.front();
    places.insert(Place(node.op, first != kNoValue ? graph.value(first).type.shape : Shape()));
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) {
        add_value(id);
      }
    }
  }
}

}  // namespace

std::string OperatorSignature(const KernelQuery& query, int threads) {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    inputs.push_back(InputText(query.Input(i), query.Constant(i)));
  }
  std::vector<std::string> outputs;
  for (const TensorType* output : query.outputs) {
    outputs.push_back(output != nullptr ? output->ToString() : "none");
  }
  std::vector<std::string> attributes;
  const Attributes facts = WithFacts(*query.attributes, *query.fusion, query.layout);
  for (const auto& [name, value] : facts.values()) {
    // Slopes are constants as weights are: their values do not matter.
    attributes.push_back(
        name == kSlopesKey ? name : fmt::format("{}={}", name, std::visit(AttributeText(), value)));
  }
  const TensorType* first = query.outputs.empty() ? nullptr : query.outputs.front();
  return fmt::format("{}: {} -> {}; {}; {}; {}",
                     Place(query.op, first != nullptr ? first->shape : Shape()), Join(inputs, ", "),
                     Join(outputs, ", "), Join(attributes, " "), NameOf(query.impl_mode),
                     Counted(threads, "thread"));
}

std::string_view PlaceOf(std::string_view signature) {
  return signature.substr(0, signature.find(':'));
}

std::string WithoutMode(std::string_view signature) {
  const auto threads = signature.rfind("; ");
  const auto mode = threads == 0 || threads == std::string_view::npos
                        ? std::string_view::npos
                        : signature.rfind("; ", threads - 1);
  return mode == std::string_view::npos
             ? std::string(signature)
             : fmt::format("{}{}", signature.substr(0, mode), signature.substr(threads));
}

bool IsOnThreads(std::string_view signature, int threads) {
  return signature.ends_with(fmt::format("; {}", Counted(threads, "thread")));
}

std::set<std::string, std::less<>> PlacesOf(const Graph& graph) {
  std::set<std::string, std::less<>> places;
  AddPlaces(graph, places);
  AddPlaces(FuseByPlan(graph, ReferencePlan(graph), nullptr).graph, places);
  return places;
}

std::set<OpKind> OperatorsOf(const Graph& graph) {
  std::set<OpKind> ops(std::begin(kAddedOps), std::end(kAddedOps));
  const auto add = [&](const Graph& of) {
    for (const Node& node : of.nodes) {
      ops.insert(node.op);
    }
  };
  add(graph);
  add(FuseByPlan(graph, ReferencePlan(graph), nullptr).graph);
  return ops;
}

std::optional<OpKind> OperatorOf(std::string_view signature) {
  const OpInfo* info = FindOp(signature.substr(0, signature.find(' ')));
  return info != nullptr ? std::optional(info->kind) : std::nullopt;
}

}  // namespace halftone
