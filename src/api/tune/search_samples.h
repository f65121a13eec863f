// Samples of a search, and the samples held out from it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/base/hash.h"

namespace halftone {

// Numbers of samples at one input shape.
struct ShapeSamples {
  double run_s = 0;  // seconds of a float32 run on one sample
  std::size_t search = 0;
  std::size_t heldout = 0;

  friend bool operator==(const ShapeSamples&, const ShapeSamples&) = default;
};

// Samples that a search with a time budget uses; empty members without such a budget. The knowledge
// base stores them with the front, so that it can answer the same command before a run is timed.
struct FittedSamples {
  Hash128 asked;                   // AskedSamples() of all samples
  std::vector<ShapeSamples> used;  // one for each input shape
  std::string warning;             // how many samples are used, and why; empty: all are
};

// Samples of a tuning run.
struct Samples {
  std::vector<DataSplit> parts;       // one for each input shape
  std::vector<double> weights;        // relative frequency of each input shape, above 0
  std::vector<std::string> warnings;  // sentences about samples that are not used
  FittedSamples fitted = {};
  bool has_time = true;  // false: the budget is too short for float32 on the search samples

  // Search samples at the first input shape.
  [[nodiscard]] const Dataset& searched() const { return parts.front().search; }

  // Hash of the held-out samples of all shapes.
  [[nodiscard]] Hash128 HeldoutHash() const;
};

// Loads the samples of options.data and splits them. Held-out samples are those of options.heldout
// whose inputs the search does not have or, without options.heldout, a share of the samples. The
// share is options.heldout_share; by default it is kDefaultHeldoutShare if there are at least
// kFewestToHoldOut real samples at all shapes together, else 0. A share of 1 puts all samples into
// both parts, for configurations that no search has fitted to them (retune). With several input
// shapes, a shape with few samples may have no held-out samples. Errors as LoadSamples(),
// SplitDataset(), RemoveSeen() and WeightsOf().
Samples ReadSamples(std::span<const Model> profiles, const TuneOptions& options);

}  // namespace halftone
