#include "src/passes/rewrite/merge_slices.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/ir/op_table.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

using Indices = std::vector<std::int64_t>;

// Operands 1 to 4 of Slice, as they are there: one number for each axis that is cut.
constexpr std::array<std::string_view, 4> kOperands = {"starts", "ends", "axes", "steps"};
constexpr std::size_t kAxes = 2;  // of them

using Ranges = std::array<Indices, kOperands.size()>;

// Empty where an operand is left out.
std::optional<Indices> ConstantAt(const Graph& graph, const Node& node, std::size_t input) {
  if (input >= node.inputs.size() || node.inputs[input] == kNoValue) {
    return Indices();
  }
  const auto& constant = graph.value(node.inputs[input]).constant;
  return constant ? std::optional(IntegersOf(*constant)) : std::nullopt;
}

// None: not a Slice by constants that fit each other.
std::optional<Ranges> RangesOf(const Graph& graph, const Node& node) {
  if (node.op != OpKind::kSlice || node.outputs.size() != 1) {
    return std::nullopt;
  }
  Ranges ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::optional<Indices> values = ConstantAt(graph, node, i + 1);
    if (!values) {
      return std::nullopt;
    }
    ranges[i] = std::move(*values);
  }
  auto& [starts, ends, axes, steps] = ranges;
  if (axes.empty()) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (steps.empty()) {
    steps.assign(starts.size(), 1);
  }
  const bool fit = std::all_of(ranges.begin(), ranges.end(), [&](const Indices& each) {
    return each.size() == ranges.front().size();
  });
  if (!fit) {
    return std::nullopt;
  }
  for (std::int64_t& axis : axes) {
    axis = NormalizeAxis(axis, graph.value(node.inputs[0]).type.shape.rank());
  }
  return ranges;
}

bool Meet(const Indices& a, const Indices& b) {
  return std::any_of(a.begin(), a.end(), [&](std::int64_t axis) {
    return std::find(b.begin(), b.end(), axis) != b.end();
  });
}

void SetRanges(Graph& graph, Node& node, const Ranges& ranges, const Fusing& fusing) {
  node.inputs.resize(1);
  for (std::size_t i = 0; i < kOperands.size(); ++i) {
    Value value{.name = node.name + "/" + std::string(kOperands[i]),
                .constant = fusing.Integers(ranges[i])};
    value.type = value.constant->type();
    node.inputs.push_back(graph.AddValue(std::move(value)));
  }
}

// The ranges of a Slice that is the only reader of `first`, along none of `axes`.
std::optional<Ranges> RangesBehind(const Graph& graph, const Node& first, NodeId reader,
                                   const Indices& axes) {
  if (reader == kNoNode) {
    return std::nullopt;
  }
  const Node& second = graph.nodes[static_cast<std::size_t>(reader)];
  std::optional<Ranges> ranges = RangesOf(graph, second);
  const bool fits = ranges && second.inputs[0] == first.outputs[0] && !Meet(axes, (*ranges)[kAxes]);
  return fits ? std::move(ranges) : std::nullopt;
}

}  // namespace

void MergeSlices(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (Node& first : graph.nodes) {
    std::optional<Ranges> ranges = RangesOf(graph, first);
    if (!ranges) {
      continue;
    }
    const auto reader_of = [&] { return readers[static_cast<std::size_t>(first.outputs[0])]; };
    const std::size_t stated = (*ranges)[kAxes].size();
    while (const auto more = RangesBehind(graph, first, reader_of(), (*ranges)[kAxes])) {
      Node& second = graph.nodes[static_cast<std::size_t>(reader_of())];
      if (!fusing.MayFuse(graph, {&first, &second})) {
        break;
      }
      for (std::size_t i = 0; i < kOperands.size(); ++i) {
        (*ranges)[i].insert((*ranges)[i].end(), (*more)[i].begin(), (*more)[i].end());
      }
      fusing.Absorb(first, second);
    }
    if ((*ranges)[kAxes].size() > stated) {
      SetRanges(graph, first, *ranges, fusing);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
