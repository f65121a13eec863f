// Split of a dataset into search samples and held-out samples, which the search never sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/accuracy/dataset.h"

namespace halftone {

// Fewest samples for a hold-out by default: with fewer, the search samples that remain say too
// little.
inline constexpr std::size_t kFewestToHoldOut = 16;
inline constexpr double kDefaultHeldoutShare = 0.25;

struct DataSplit {
  Dataset search;
  Dataset heldout;  // empty for a share of 0
};

// Draws about `heldout_share` of the samples, in [0, 1), from `seed`; both parts keep the order of
// `all` and its notes stay with `search`. Samples with equal inputs stay together, so that the
// search sees no held-out input. Error kUsage: a part would be without samples.
DataSplit SplitDataset(Dataset all, double heldout_share, std::uint64_t seed);

// Removes from `heldout` the samples whose inputs occur in `search`; returns their number. Error
// kUsage: none is left.
std::size_t RemoveSeen(const Dataset& search, Dataset& heldout);

}  // namespace halftone
