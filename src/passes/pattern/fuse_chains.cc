#include "src/passes/pattern/fuse_chains.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "src/base/error.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

struct CompiledRow {
  const ChainRow& row;
  const ChainPattern& pattern;
};

// Producers and consumers as they were when the pass began. Fusing does not outdate them: readers
// and makers that went into a fused node stand for it, and it computes what they did.
class Chains {
 public:
  explicit Chains(const Graph& graph)
      : producers_(ProducersOf(graph)),
        consumers_(ConsumersOf(graph)),
        is_output_(graph.values.size(), false) {
    for (const ValueId id : graph.outputs) {
      is_output_[static_cast<std::size_t>(id)] = true;
    }
  }

  [[nodiscard]] const std::vector<NodeId>& producers() const { return producers_; }

  // True if inner values of the match are used only there, in the dtype of its result.
  [[nodiscard]] bool IsClosed(const Graph& graph, const ChainMatch& match) const {
    const DType dtype = ResultOf(graph, match).type.dtype;
    return IsTunable(dtype) && std::all_of(match.nodes.begin(), match.nodes.end(), [&](NodeId n) {
             const ValueId value = graph.node(n).outputs[0];
             return graph.value(value).type.dtype == dtype &&
                    (n == match.nodes.back() || IsReadWithin(match, value));
           });
  }

 private:
  [[nodiscard]] bool IsReadWithin(const ChainMatch& match, ValueId value) const {
    const auto index = static_cast<std::size_t>(value);
    const auto& readers = consumers_[index];
    return !is_output_[index] && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return std::binary_search(match.nodes.begin(), match.nodes.end(), reader);
    });
  }

  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
  std::vector<bool> is_output_;
};

// The fused node stands where the last one stood.
void Replace(Graph& graph, const ChainMatch& match, FusedChain chain, const Fusing& fusing) {
  const auto node = [&](NodeId n) -> Node& { return graph.nodes[static_cast<std::size_t>(n)]; };
  const auto main = std::find_if(match.nodes.begin(), match.nodes.end(),
                                 [&](NodeId n) { return node(n).op == chain.main; });
  Check(main != match.nodes.end(), "a chain has no node of its main operator");
  Node fused = node(*main);
  const std::vector<ValueId> outputs = node(match.nodes.back()).outputs;
  for (const NodeId n : match.nodes) {
    if (n != *main) {
      fusing.Absorb(fused, node(n));
    }
  }
  node(*main).outputs.clear();
  fused.op = chain.op;
  fused.attributes = std::move(chain.attributes);
  fused.fusion = std::move(chain.fusion);
  fused.inputs = std::move(chain.inputs);
  fused.outputs = outputs;
  node(match.nodes.back()) = std::move(fused);
}

// Parsed once: fusions run for every plan, and for every step that a search asks about. Stays where
// it is as long as the process runs.
const ChainPattern& PatternOf(std::string_view text) {
  static std::mutex mutex;
  static std::map<std::string, ChainPattern, std::less<>> parsed;
  const std::lock_guard lock(mutex);
  auto found = parsed.find(text);
  if (found == parsed.end()) {
    found = parsed.emplace(text, ChainPattern(text)).first;
  }
  return found->second;
}

bool FuseAt(Graph& graph, const Chains& chains, const CompiledRow& compiled, NodeId last,
            const Fusing& fusing) {
  const ValueId result = graph.node(last).outputs[0];
  for (const ChainMatch& match : compiled.pattern.Match(graph, chains.producers(), result)) {
    if (!chains.IsClosed(graph, match)) {
      continue;
    }
    auto chain = compiled.row.make(graph, match, fusing);
    if (chain && fusing.MayFuse(graph, match.nodes)) {
      Replace(graph, match, std::move(*chain), fusing);
      return true;
    }
  }
  return false;
}

}  // namespace

void FuseChains(Graph& graph, std::span<const ChainRow> rows, const Fusing& fusing) {
  std::vector<CompiledRow> compiled;
  for (const ChainRow& row : rows) {
    compiled.push_back({row, PatternOf(row.pattern)});
  }
  const Chains chains(graph);
  for (auto n = static_cast<NodeId>(graph.nodes.size()); n-- > 0;) {
    if (graph.node(n).outputs.size() == 1) {
      static_cast<void>(std::any_of(compiled.begin(), compiled.end(), [&](const CompiledRow& row) {
        return FuseAt(graph, chains, row, n, fusing);
      }));
    }
  }
  RemoveEmptiedNodes(graph);
}

const Node* FindInChain(const Graph& graph, const ChainMatch& match, OpKind op) {
  const auto found = std::find_if(match.nodes.begin(), match.nodes.end(),
                                  [&](NodeId n) { return graph.node(n).op == op; });
  return found == match.nodes.end() ? nullptr : &graph.node(*found);
}

double ScalarOf(const Graph& graph, ValueId id) {
  const Tensor& constant = graph.value(id).constant.value();
  return DoubleAt(constant.dtype(), constant.data(), 0);
}

const Value& ResultOf(const Graph& graph, const ChainMatch& match) {
  return graph.value(graph.node(match.nodes.back()).outputs[0]);
}

}  // namespace halftone
