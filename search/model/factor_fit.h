// Factors of the terms of a sum, from measured sums: the posterior mean of a linear model. A factor
// is 1 plus a part that all terms of its kind share plus a part of its own, both normal. Sums that
// no factors explain are noisier than they say: by how much is what makes all of them most likely
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.4.1).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace halftone {

struct FitPrior {
  double kind_deviation = 0.5;
  double own_deviation = 0.5;
};

// One measured sum: the terms that it has, as shares of what was measured. With the right factors
// the shares add up to 1, but for noise.
struct FitRow {
  std::vector<std::pair<std::size_t, double>> shares;  // term, share
  double noise = 0.05;                                 // standard deviation
};

// `kinds` has a number for every term, `priors` one prior for every kind. 1 for all terms without
// rows; never below 0.05, because no sum of many says that one of them vanishes.
std::vector<double> FitFactors(std::span<const std::size_t> kinds, std::span<const FitRow> rows,
                               std::span<const FitPrior> priors);

}  // namespace halftone
