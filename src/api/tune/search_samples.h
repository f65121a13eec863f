// Samples of a search, and the samples held out from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/split.h"
#include "src/api/halftone.h"

namespace halftone {

struct LoadedData {
  std::vector<DataSplit> parts;       // one for each input shape
  std::vector<std::string> warnings;  // sentences about samples that are not used
};

// Loads the samples of options.data and splits them. Held-out samples are those of options.heldout
// whose inputs the search does not have or, without options.heldout, a share of the samples. The
// share is options.heldout_share; by default it is kDefaultHeldoutShare if there are at least
// kFewestToHoldOut real samples at all shapes together, else 0. A share of 1 puts all samples into
// both parts, for configurations that no search has fitted to them (retune). With several input
// shapes, a shape with few samples may have no held-out samples. Errors as LoadSamples(),
// SplitDataset() and RemoveSeen().
LoadedData LoadParts(std::span<const Model> profiles, const TuneOptions& options);

}  // namespace halftone
