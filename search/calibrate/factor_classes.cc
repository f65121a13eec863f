#include "search/calibrate/factor_classes.h"

#include <algorithm>
#include <optional>

#include "search/calibrate/products.h"
#include "search/space/network_steps.h"
#include "src/exec/channel_factors.h"
#include "src/exec/integer_steps.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

std::size_t Index(ValueId id) {
  return static_cast<std::size_t>(id);
}

class ClassFinder {
 public:
  explicit ClassFinder(const Graph& graph)
      : graph_(graph), producers_(ProducersOf(graph)), steps_(StepsOf(graph)) {
    readers_.resize(graph.values.size());
    for (NodeId n = 0; n < std::ssize(graph.nodes); ++n) {
      for (const ValueId id : graph.node(n).inputs) {
        if (id != kNoValue && (readers_[Index(id)].empty() || readers_[Index(id)].back() != n)) {
          readers_[Index(id)].push_back(n);
        }
      }
    }
  }

  [[nodiscard]] std::vector<FactorClass> Run() const {
    std::vector<FactorClass> classes;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const auto value = static_cast<ValueId>(i);
      for (const int axis : AxesOfFirst(value)) {
        if (auto found = ClassOf(value, axis)) {
          classes.push_back(*std::move(found));
          break;
        }
      }
    }
    return classes;
  }

 private:
  // Channel axes with which a class may begin at a value.
  [[nodiscard]] std::vector<int> AxesOfFirst(ValueId value) const {
    const Value& of = graph_.value(value);
    const int rank = of.type.shape.rank();
    const bool is_input = std::ranges::find(graph_.inputs, value) != graph_.inputs.end();
    const NodeId producer = producers_[Index(value)];
    if (of.constant || of.type.dtype != DType::kFloat32 || rank < 2 ||
        (producer == kNoNode && !is_input)) {
      return {};
    }
    if (is_input) {
      return {1, rank - 1};
    }
    const Node& node = graph_.node(producer);
    if (node.outputs[0] != value) {
      return {};
    }
    if (IsProduct(graph_, node)) {
      const auto axis = MadeChannelAxis(graph_, node);
      return axis ? std::vector{*axis} : std::vector<int>();
    }
    if (node.op == OpKind::kClip) {
      const Node* product = ProductBehind(producer);
      const auto axis = product == nullptr ? std::nullopt : MadeChannelAxis(graph_, *product);
      return axis && BoundOf(node) ? std::vector{*axis} : std::vector<int>();
    }
    if (TableOperand(value) != kNoValue) {
      return rank > 2 ? std::vector{1} : std::vector<int>();
    }
    const bool is_float =
        !HasIntegerForm(node.op) && !InfoOf(node.op).Is(kMovesData) && !InfoOf(node.op).Is(kIsView);
    return is_float ? std::vector{1, rank - 1} : std::vector<int>();
  }

  // What a function with a table for each channel makes the value of, SiLU as Sigmoid and Mul
  // included; kNoValue: another operator makes it.
  [[nodiscard]] ValueId TableOperand(ValueId value) const {
    const NodeId producer = producers_[Index(value)];
    if (producer == kNoNode) {
      return kNoValue;
    }
    const Node& node = graph_.node(producer);
    if (IsByteFunction(node.op) && node.op != OpKind::kClip) {
      return KeptChannelAxis(graph_, node, 1) ? kNoValue : node.inputs[0];
    }
    for (std::size_t i = 0; node.op == OpKind::kMul && i < 2; ++i) {
      const NodeId gate = producers_[Index(node.inputs[i])];
      const ValueId operand = node.inputs[1 - i];
      if (gate != kNoNode && graph_.node(gate).op == OpKind::kSigmoid &&
          graph_.node(gate).inputs[0] == operand && readers_[Index(node.inputs[i])].size() == 1) {
        return operand;
      }
    }
    return kNoValue;
  }

  [[nodiscard]] bool IsDepthwise(const Node& node) const {
    const Shape& weights = graph_.value(node.inputs[1]).type.shape;
    return node.op == OpKind::kConv && weights[1] == 1 &&
           node.attributes.Int("group", 1) == weights[0] && weights[0] > 1;
  }

  // The operand of the function that makes `value`, where that alone reads it.
  [[nodiscard]] FactorClass::Member FrontOf(ValueId value) const {
    const ValueId front = TableOperand(value);
    const NodeId producer = producers_[Index(front)];
    const bool is_output = std::ranges::find(graph_.outputs, front) != graph_.outputs.end();
    const std::size_t own = graph_.node(producers_[Index(value)]).op == OpKind::kMul ? 2 : 1;
    if (producer == kNoNode || readers_[Index(front)].size() != own || is_output ||
        !IsProduct(graph_, graph_.node(producer)) ||
        MadeChannelAxis(graph_, graph_.node(producer)) != 1) {
      return {};
    }
    return {front, 1};
  }

  // The product that a step computes together with its Clip; null: there is none.
  [[nodiscard]] const Node* ProductBehind(NodeId clip) const {
    const NodeId step = steps_.step_of[static_cast<std::size_t>(clip)];
    const Node* product = nullptr;
    for (const NodeId n : steps_.nodes[static_cast<std::size_t>(step)]) {
      const Node& node = graph_.node(n);
      if (IsProduct(graph_, node)) {
        product = &node;
      } else if (n != clip && node.op != OpKind::kBatchNormalization) {
        return nullptr;  // a residual, for example
      }
    }
    return product;
  }

  // The upper bound of a Clip from 0; empty: another one.
  [[nodiscard]] std::optional<double> BoundOf(const Node& clip) const {
    const auto at = [&](std::size_t i, double absent) -> std::optional<double> {
      if (i >= clip.inputs.size() || clip.inputs[i] == kNoValue) {
        return absent;
      }
      const auto& constant = graph_.value(clip.inputs[i]).constant;
      return constant && constant->ElementCount() == 1 ? std::optional(DoublesOf(*constant)[0])
                                                       : std::nullopt;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    const auto low = at(1, -infinity);
    const auto high = at(2, infinity);
    return low == 0 && high && *high > 0 ? high : std::nullopt;
  }

  [[nodiscard]] std::optional<FactorClass> ClassOf(ValueId first, int axis) const {
    FactorClass found;
    const NodeId producer = producers_[Index(first)];
    if (producer != kNoNode && graph_.node(producer).op == OpKind::kClip) {
      found.bound = *BoundOf(graph_.node(producer));
    }
    found.members.push_back({first, axis});
    for (std::size_t m = 0; m < found.members.size(); ++m) {
      const FactorClass::Member member = found.members[m];
      found.is_read_in_float =
          found.is_read_in_float ||
          std::ranges::find(graph_.outputs, member.value) != graph_.outputs.end();
      for (const NodeId n : readers_[Index(member.value)]) {
        if (!AddReader(n, member, found)) {
          return std::nullopt;
        }
      }
    }
    if (TableOperand(first) != kNoValue) {
      if (!std::ranges::all_of(found.readers, [&](const FactorClass::Reader& reader) {
            return IsDepthwise(graph_.node(reader.product));
          })) {
        return std::nullopt;
      }
      found.is_made_by_table = true;
      found.front = FrontOf(first);
    }
    return found.readers.empty() ? std::nullopt : std::optional(found);
  }

  // False: the reader cannot carry factors.
  bool AddReader(NodeId n, const FactorClass::Member& member, FactorClass& found) const {
    const Node& node = graph_.node(n);
    const bool reads_first =
        node.inputs[0] == member.value && std::ranges::count(node.inputs, member.value) == 1;
    if (IsProduct(graph_, node)) {
      found.readers.push_back({n, member.value});
      return reads_first && ReadChannelAxis(graph_, node) == member.axis;
    }
    const auto kept = KeptChannelAxis(graph_, node, member.axis);
    if (kept) {
      found.members.push_back({node.outputs[0], *kept});
      return reads_first &&
             std::ranges::count_if(node.outputs, [](ValueId id) { return id != kNoValue; }) == 1;
    }
    found.is_read_in_float = true;
    return !HasIntegerForm(node.op) && !InfoOf(node.op).Is(kMovesData) &&
           !InfoOf(node.op).Is(kIsView);
  }

  const Graph& graph_;
  std::vector<NodeId> producers_;
  NetworkSteps steps_;
  std::vector<std::vector<NodeId>> readers_;  // by value, ascending
};

}  // namespace

std::vector<FactorClass> FactorClasses(const Graph& graph) {
  return ClassFinder(graph).Run();
}

}  // namespace halftone
