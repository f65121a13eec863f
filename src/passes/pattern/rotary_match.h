// Matches the patterns of rotary position embedding, which fuse_rope.h lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Cosines and sines for each row of `leading` and each pair: [rows * pairs].
struct Angles {
  std::vector<double> cos;
  std::vector<double> sin;
  std::vector<bool> repeats;  // per axis of `leading`: constant along it
};

// A match; rotates pair k of a row of x: y1 = cos x1 - sin x2, y2 = sin x1 + cos x2.
struct RotaryMatch {
  ValueId x = kNoValue;      // [leading.., 2 * pairs] in memory
  Shape leading;             // the axes before the rotated elements
  std::int64_t pairs = 0;    // per row
  bool interleaved = false;  // pairs are neighbours, else x[k] and x[pairs + k]
  Angles angles;
  std::vector<NodeId> nodes;  // sorted; the last computes the result
};

// The most elements of a constant, rows * pairs, that are compared.
inline constexpr std::int64_t kMostAngles = std::int64_t{1} << 26;

// The match that ends with node `last`; empty: none. `producers` as from ProducersOf().
std::optional<RotaryMatch> MatchRotary(const Graph& graph, const std::vector<NodeId>& producers,
                                       NodeId last);

}  // namespace halftone
