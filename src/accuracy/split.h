// Split of a dataset into search samples and held-out samples, which the search never sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/accuracy/dataset.h"

namespace halftone {

// Fewest samples from which some are held out by default. With fewer, too few search samples would
// remain.
inline constexpr std::size_t kFewestToHoldOut = 16;
inline constexpr double kDefaultHeldoutShare = 0.25;

struct DataSplit {
  Dataset search;
  Dataset heldout;  // empty if the share is 0
};

// Draws about the share `heldout_share`, in [0, 1), of the samples at random from `seed` and holds
// them out. Both parts keep the order of `all`; `search` takes its notes. Samples with equal inputs
// go to the same part, so that the search sees no held-out input. Error kUsage: no sample would
// remain for the search.
DataSplit SplitDataset(Dataset all, double heldout_share, std::uint64_t seed);

// Removes the samples from `heldout` whose inputs occur in `search`, and returns their number.
// Error kUsage: no sample of `heldout` would remain.
std::size_t RemoveSeen(const Dataset& search, Dataset& heldout);

}  // namespace halftone
