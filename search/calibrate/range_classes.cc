#include "search/calibrate/range_classes.h"

#include <algorithm>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

std::size_t Index(ValueId id) {
  return static_cast<std::size_t>(id);
}

// True if results of a Resize stay within the range of its operand: interpolation between
// neighbours does, cubic taps reach beyond it.
bool StaysWithin(const Node& resize) {
  return resize.attributes.Text("mode", "nearest") != "cubic" &&
         resize.attributes.Text("coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

bool TakesRangeOver(const Node& node) {
  const OpInfo& info = InfoOf(node.op);
  return node.op == OpKind::kMaxPool || (node.op == OpKind::kResize && StaysWithin(node)) ||
         ((info.Is(kMovesData) || info.Is(kIsView)) && node.op != OpKind::kConcat);
}

ValueRange Hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

double Extent(const ValueRange& range) {
  return std::max(range.high, 0.0) - std::min(range.low, 0.0);
}

}  // namespace

std::vector<ValueId> RangeSources(const Graph& graph) {
  std::vector<ValueId> sources;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    sources.push_back(static_cast<ValueId>(i));
  }
  for (const Node& node : graph.nodes) {
    if (!TakesRangeOver(node) || node.inputs.empty() || node.inputs[0] == kNoValue ||
        graph.value(node.inputs[0]).constant) {
      continue;
    }
    for (const ValueId id : node.outputs) {
      // Indices of MaxPool are no elements of its operand.
      if (id != kNoValue && graph.value(id).type.dtype == graph.value(node.inputs[0]).type.dtype) {
        sources[Index(id)] = sources[Index(node.inputs[0])];
      }
    }
  }
  return sources;
}

void JoinConcats(const Graph& graph, const std::vector<ValueId>& sources,
                 std::vector<ValueRange>& ranges) {
  for (const Node& node : graph.nodes) {
    if (node.op != OpKind::kConcat) {
      continue;
    }
    std::vector<ValueId> parts;
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && !graph.value(id).constant) {
        parts.push_back(sources[Index(id)]);
      }
    }
    if (parts.empty()) {
      continue;
    }
    ValueRange hull = ranges[Index(parts[0])];
    double least = Extent(hull);
    double most = least;
    for (const ValueId id : parts) {
      hull = Hull(hull, ranges[Index(id)]);
      least = std::min(least, Extent(ranges[Index(id)]));
      most = std::max(most, Extent(ranges[Index(id)]));
    }
    ranges[Index(sources[Index(node.outputs[0])])] = hull;
    if (most <= kMostRangeRatio * least) {
      for (const ValueId id : parts) {
        ranges[Index(id)] = hull;
      }
    }
  }
}

}  // namespace halftone
