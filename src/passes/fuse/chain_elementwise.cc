#include "src/passes/fuse/chain_elementwise.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace halftone {
namespace {

class Chains {
 public:
  explicit Chains(Graph& graph)
      : graph_(graph),
        producers_(ProducersOf(graph)),
        consumers_(ConsumersOf(graph)),
        is_output_(graph.values.size(), false),
        chain_of_(graph.nodes.size(), 0),
        read_within_(graph.values.size()) {
    for (const ValueId id : graph.outputs) {
      is_output_[static_cast<std::size_t>(id)] = true;
    }
  }

  void Run() {
    for (auto last = static_cast<NodeId>(graph_.nodes.size()); last-- > 0;) {
      if (ChainOf(last) == 0 && IsElementwise(graph_.node(last))) {
        MarkUpTo(last);
      }
    }
    for (NodeId n = 0; n < static_cast<NodeId>(graph_.nodes.size()); ++n) {
      if (ChainOf(n) != 0) {
        graph_.nodes[static_cast<std::size_t>(n)].chain = ChainOf(n);
      }
    }
  }

 private:
  // Number of a value's readers in the fused loop that ends with a node.
  struct Readers {
    NodeId last = kNoNode;
    std::size_t count = 0;
  };

  std::int64_t& ChainOf(NodeId id) { return chain_of_[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const TensorType& ResultOf(const Node& node) const {
    return graph_.value(node.outputs[0]).type;
  }

  [[nodiscard]] bool IsElementwise(const Node& node) const {
    return InfoOf(node.op).Is(kElementwise) && node.outputs.size() == 1 &&
           IsTunable(ResultOf(node).dtype);
  }

  // Counts one more reader of `value`; its maker when that was the last one.
  NodeId MakerReadWithin(ValueId value, NodeId last) {
    const auto index = static_cast<std::size_t>(value);
    Readers& within = read_within_[index];
    within = {.last = last, .count = within.last == last ? within.count + 1 : 1};
    return is_output_[index] || within.count < consumers_[index].size() ? kNoNode
                                                                        : producers_[index];
  }

  void MarkUpTo(NodeId last) {
    const Shape& shape = ResultOf(graph_.node(last)).shape;
    std::vector<NodeId> members = {last};
    for (std::size_t i = 0; i < members.size(); ++i) {
      std::vector<ValueId> operands = graph_.node(members[i]).inputs;
      std::sort(operands.begin(), operands.end());  // a value read twice has one reader here
      operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
      for (const ValueId value : operands) {
        const NodeId maker = value == kNoValue ? kNoNode : MakerReadWithin(value, last);
        if (maker != kNoNode && ChainOf(maker) == 0 && IsElementwise(graph_.node(maker)) &&
            graph_.value(value).type.shape == shape) {
          members.push_back(maker);
        }
      }
    }
    if (members.size() == 1) {
      return;
    }
    ++chains_;
    for (const NodeId member : members) {
      ChainOf(member) = chains_;
    }
  }

  Graph& graph_;
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
  std::vector<bool> is_output_;
  std::vector<std::int64_t> chain_of_;  // by node; 0: none
  std::vector<Readers> read_within_;    // by value
  std::int64_t chains_ = 0;
};

}  // namespace

void ChainElementwise(Graph& graph) {
  Chains(graph).Run();
}

}  // namespace halftone
