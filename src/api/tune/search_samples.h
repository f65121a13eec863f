// The samples of a search and those held out of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/split.h"
#include "src/api/halftone.h"

namespace halftone {

struct LoadedData {
  std::vector<DataSplit> parts;       // of each input shape
  std::vector<std::string> warnings;  // where not all samples are used
};

// The samples of the search and the held-out ones: those of `options.heldout` that the search does
// not see, or the share `options.heldout_share` of the given samples. Without real samples, and
// below kFewestToHoldOut of them unless a share was given, none are held out. A share of 1 gives
// all samples to both, for configurations that no search has fitted to them (retune). With several
// input shapes the counts are those of all together, and a shape with few samples gives none to the
// held-out ones. Errors as LoadSamples(), SplitDataset() and RemoveSeen().
LoadedData LoadParts(std::span<const Model> profiles, const TuneOptions& options);

}  // namespace halftone
