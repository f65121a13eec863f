// Disjoint parts of a dataset: what the search sees, and what it never sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/accuracy/dataset.h"

namespace halftone {

// Below this many samples nothing is held out unless the user asks for it: what would remain to
// search on says too little.
inline constexpr std::size_t kFewestToHoldOut = 16;
inline constexpr double kDefaultHeldoutShare = 0.25;

struct DataSplit {
  Dataset search;
  Dataset heldout;  // empty with a share of 0
};

// Draws about `heldout_share` of the samples, in [0, 1), from `seed`; both parts keep the order of
// `all` and its notes stay with `search`. Samples with equal inputs stay together, so that nothing
// the search has seen is held out. Error kUsage: a part would be without samples.
DataSplit SplitDataset(Dataset all, double heldout_share, std::uint64_t seed);

// Removes from `heldout` the samples whose inputs are among those of `search`; returns how many.
// Error kUsage: none is left.
std::size_t RemoveSeen(const Dataset& search, Dataset& heldout);

}  // namespace halftone
