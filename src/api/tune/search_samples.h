// The samples of a search and those held out of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/split.h"
#include "src/api/halftone.h"
#include "src/base/hash.h"

namespace halftone {

// Samples of one input shape, and the seconds of a float32 run at it.
struct ShapeSamples {
  double run_s = 0;
  std::size_t search = 0;
  std::size_t heldout = 0;

  friend bool operator==(const ShapeSamples&, const ShapeSamples&) = default;
};

// Samples that a search within a budget in time uses. The knowledge base keeps them with the front,
// so that the same command is answered without timing a run. Empty without such a budget.
struct FittedSamples {
  Hash128 asked;                   // AskedSamples() of all samples
  std::vector<ShapeSamples> used;  // by input shape
  std::string warning;             // how many and why; empty: all
};

struct Samples {
  std::vector<DataSplit> parts;       // of each input shape
  std::vector<double> weights;        // relative frequency of each input shape, above 0
  std::vector<std::string> warnings;  // where not all samples are used
  FittedSamples fitted = {};          // to the budget in time
  // False: the budget has no time for float32 on the samples of the search.
  bool has_time = true;

  // Samples of the search at the first input shape.
  [[nodiscard]] const Dataset& searched() const { return parts.front().search; }

  // Hash of the held-out samples of all shapes.
  [[nodiscard]] Hash128 HeldoutHash() const;
};

// The samples of the search and the held-out ones: those of `options.heldout` that the search does
// not see, or the share `options.heldout_share` of the given samples. Without real samples, and
// below kFewestToHoldOut of them unless a share was given, none are held out. A share of 1 gives
// all samples to both, for configurations that no search has fitted to them (retune). With several
// input shapes the counts are those of all together, and a shape with few samples gives none to the
// held-out ones. Errors as LoadSamples(), SplitDataset(), RemoveSeen() and WeightsOf().
Samples ReadSamples(std::span<const Model> profiles, const TuneOptions& options);

}  // namespace halftone
