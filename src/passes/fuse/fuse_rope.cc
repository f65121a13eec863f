#include "src/passes/fuse/fuse_rope.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "src/passes/pattern/rotary_match.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

// View of x for RotaryEmbedding: its shape, and the axes of `leading` that the angles depend on.
struct View {
  Shape shape;
  std::int64_t heads = 0;            // of three axes; 0: four axes
  std::vector<bool> angle_axes;      // by axis of `leading`
  std::vector<std::int64_t> places;  // the two leading extents of the constants
};

// [image, head, position, size] or [image, position, head * size], the angles by image and
// position; empty when they do not depend on the axes in such a way.
std::optional<View> ViewOf(const RotaryMatch& pairs) {
  const Shape& leading = pairs.leading;
  const std::int64_t size = 2 * pairs.pairs;
  if (leading.rank() == 2) {
    return View{{leading[0], leading[1], size}, 1, {true, true}, {leading[0], leading[1]}};
  }
  if (leading.rank() != 3) {
    return std::nullopt;
  }
  if (pairs.angles.repeats[1]) {
    return View{{leading[0], leading[1], leading[2], size},
                0,
                {true, false, true},
                {leading[0], leading[2]}};
  }
  if (pairs.angles.repeats[2]) {
    return View{{leading[0], leading[1], leading[2] * size},
                leading[2],
                {true, true, false},
                {leading[0], leading[1]}};
  }
  // Angles of each head: heads as images.
  return View{{leading[0] * leading[1], leading[2], size},
              1,
              {true, true, true},
              {leading[0] * leading[1], leading[2]}};
}

class RopeFusion {
 public:
  RopeFusion(Graph& graph, const Fusing& fusing)
      : graph_(graph),
        fusing_(fusing),
        producers_(ProducersOf(graph)),
        consumers_(ConsumersOf(graph)) {
    for (const ValueId id : graph.outputs) {
      consumers_[static_cast<std::size_t>(id)].push_back(kNoNode);
    }
  }

  void FuseAt(NodeId last) {
    const auto pairs = MatchRotary(graph_, producers_, last);
    if (!pairs || !IsClosed(*pairs)) {
      return;
    }
    const auto view = ViewOf(*pairs);
    if (view && fusing_.MayFuse(graph_, pairs->nodes)) {
      Replace(*pairs, *view);
    }
  }

 private:
  [[nodiscard]] Node& At(NodeId id) { return graph_.nodes[static_cast<std::size_t>(id)]; }

  // All values in one tunable dtype, and none of them but the last read elsewhere.
  [[nodiscard]] bool IsClosed(const RotaryMatch& pairs) const {
    const DType dtype = graph_.value(pairs.x).type.dtype;
    return IsTunable(dtype) && std::all_of(pairs.nodes.begin(), pairs.nodes.end(), [&](NodeId n) {
             const std::vector<ValueId>& outputs = graph_.node(n).outputs;
             return std::all_of(outputs.begin(), outputs.end(), [&](ValueId id) {
               const auto& readers = consumers_[static_cast<std::size_t>(id)];
               return graph_.value(id).type.dtype == dtype &&
                      (n == pairs.nodes.back() ||
                       std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
                         return std::binary_search(pairs.nodes.begin(), pairs.nodes.end(), reader);
                       }));
             });
           });
  }

  // Numbers [rows of leading, pairs] without the axes along which they repeat.
  ValueId AddCache(const std::string& name, const std::vector<double>& numbers,
                   const RotaryMatch& pairs, const View& view) {
    const TensorType type{graph_.value(pairs.x).type.dtype,
                          {view.places[0], view.places[1], pairs.pairs}};
    Hasher hasher;
    hasher.Add(type.ToString()).AddBytes(std::as_bytes(std::span(numbers)));
    for (const bool along : view.angle_axes) {
      hasher.Add(std::int64_t{along ? 1 : 0});
    }
    Tensor cache =
        fusing_.Constant(hasher.Finish(), {}, [&] { return CacheOf(type, numbers, pairs, view); });
    return graph_.AddValue({.name = name, .type = type, .constant = std::move(cache)});
  }

  static Tensor CacheOf(const TensorType& type, const std::vector<double>& numbers,
                        const RotaryMatch& pairs, const View& view) {
    Tensor cache(type);
    std::int64_t at = 0;
    const std::int64_t rows = pairs.leading.ElementCount();
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int64_t rest = row;
      bool first = true;  // along the axes that are left out
      for (int axis = pairs.leading.rank() - 1; axis >= 0; --axis) {
        first = first && (view.angle_axes[static_cast<std::size_t>(axis)] ||
                          rest % pairs.leading[axis] == 0);
        rest /= pairs.leading[axis];
      }
      for (std::int64_t k = 0; first && k < pairs.pairs; ++k, ++at) {
        StoreDouble(type.dtype, cache.mutable_data(), at,
                    numbers[static_cast<std::size_t>(row * pairs.pairs + k)]);
      }
    }
    return cache;
  }

  // A Reshape in place of a matched node, with its name first.
  Node ReshapeAs(const Node& node, const Node& rope, ValueId input, ValueId output) {
    Tensor dims = fusing_.Integers(graph_.value(output).type.shape.dims());
    const TensorType type = dims.type();
    const ValueId constant =
        graph_.AddValue({.name = node.name + "/shape", .type = type, .constant = std::move(dims)});
    Node reshape{.op = OpKind::kReshape,
                 .name = node.name,
                 .origins = node.origins,
                 .attributes = {},
                 .inputs = {input, constant},
                 .outputs = {output},
                 .parts = rope.parts};
    for (const Origin& origin : rope.origins) {
      if (std::find(reshape.origins.begin(), reshape.origins.end(), origin) ==
          reshape.origins.end()) {
        reshape.origins.push_back(origin);
      }
    }
    return reshape;
  }

  void Replace(const RotaryMatch& pairs, const View& view) {
    const NodeId first = pairs.nodes.front();
    const NodeId last = pairs.nodes.back();
    const ValueId result = graph_.node(last).outputs[0];
    const DType dtype = graph_.value(pairs.x).type.dtype;
    const NodeId main = MainOf(pairs, last);
    Node rope = At(main);
    const Node before = At(first);
    const Node behind = At(last);
    for (const NodeId n : pairs.nodes) {
      if (n != main) {
        fusing_.Absorb(rope, At(n));
      }
    }
    At(main).outputs.clear();
    const bool reshapes = graph_.value(pairs.x).type.shape != view.shape ||
                          graph_.value(result).type.shape != view.shape;
    rope.op = OpKind::kRotaryEmbedding;
    rope.attributes = {};
    rope.attributes.Set("interleaved", std::int64_t{pairs.interleaved ? 1 : 0});
    if (view.heads != 0) {
      rope.attributes.Set("num_heads", view.heads);
    }
    rope.inputs = {pairs.x, AddCache(rope.name + "/cos", pairs.angles.cos, pairs, view),
                   AddCache(rope.name + "/sin", pairs.angles.sin, pairs, view)};
    rope.outputs = {result};
    if (!reshapes) {
      At(last) = std::move(rope);
      return;
    }
    const auto add = [&](std::string name, ValueId stands_for) {
      return graph_.AddValue({.name = std::move(name),
                              .type = {dtype, view.shape},
                              .constant = {},
                              .stands_for = stands_for});
    };
    rope.inputs[0] = add(rope.name + "/rows", pairs.x);
    rope.outputs[0] = add(rope.name + "/turned", result);
    At(first) = ReshapeAs(before, rope, pairs.x, rope.inputs[0]);
    At(last) = ReshapeAs(behind, rope, rope.outputs[0], result);
    At(main) = std::move(rope);
  }

  // A node between the first and the last, which gives the RotaryEmbedding its name.
  [[nodiscard]] NodeId MainOf(const RotaryMatch& pairs, NodeId last) const {
    for (const OpKind op : {OpKind::kConcat, OpKind::kGather, OpKind::kSub}) {
      for (auto n = pairs.nodes.begin() + 1; n + 1 != pairs.nodes.end(); ++n) {
        if (graph_.node(*n).op == op && *n != last) {
          return *n;
        }
      }
    }
    return pairs.nodes[1];
  }

  Graph& graph_;
  const Fusing& fusing_;
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
};

}  // namespace

void FuseRope(Graph& graph, const Fusing& fusing) {
  RopeFusion fusion(graph, fusing);
  for (auto n = static_cast<NodeId>(graph.nodes.size()); n-- > 0;) {
    if (!graph.node(n).outputs.empty()) {
      fusion.FuseAt(n);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
