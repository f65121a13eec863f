// Matcher for the forms of rotary position embedding that fuse_rope.h lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Cosines and sines of the angles. Element row * pairs + k belongs to pair k of a row; the rows are
// those of RotaryMatch::leading.
struct Angles {
  std::vector<double> cos;
  std::vector<double> sin;
  std::vector<bool> repeats;  // for each axis of `leading`: true if the angles do not depend on it
};

// A match. It rotates pair k, (x1, x2), of each row of x to (cos x1 - sin x2, sin x1 + cos x2).
struct RotaryMatch {
  ValueId x = kNoValue;      // elements in memory as [leading.., 2 * pairs]
  Shape leading;             // the axes before the rotated elements; each index is a row
  std::int64_t pairs = 0;    // number of pairs in a row
  bool interleaved = false;  // true: pair k is x[2 k], x[2 k + 1]; false: x[k], x[pairs + k]
  Angles angles;
  std::vector<NodeId> nodes;  // sorted; the last one computes the result
};

// Most elements of the shape to which constants of angles are broadcast; larger ones do not match.
inline constexpr std::int64_t kMostAngles = std::int64_t{1} << 26;

// The match that ends with node `last`; empty: there is none. `producers` is ProducersOf(graph).
std::optional<RotaryMatch> MatchRotary(const Graph& graph, const std::vector<NodeId>& producers,
                                       NodeId last);

}  // namespace halftone
