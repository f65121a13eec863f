// Finds the chains of rotary position embedding (fuse_rope.h has their forms).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The numbers of a constant for each row of `leading` and each pair: [rows * pairs], in double.
struct Angles {
  std::vector<double> cos;
  std::vector<double> sin;
  std::vector<bool> repeats;  // by axis of `leading`: the same all along it
};

// Pair k of a row of x: y1 = cos x1 - sin x2, y2 = sin x1 + cos x2.
struct TurnedPairs {
  ValueId x = kNoValue;      // [leading.., 2 * pairs] in memory
  Shape leading;             // before the elements that are turned
  std::int64_t pairs = 0;    // a row
  bool interleaved = false;  // neighbours, else x[k] with x[pairs + k]
  Angles angles;
  std::vector<NodeId> nodes;  // sorted; the last makes the result
};

// Constants of up to so many numbers are compared: rows * pairs.
inline constexpr std::int64_t kMostAngles = std::int64_t{1} << 26;

// The chain that ends with node `last`. `producers` as from ProducersOf().
std::optional<TurnedPairs> TurnedPairsAt(const Graph& graph, const std::vector<NodeId>& producers,
                                         NodeId last);

}  // namespace halftone
