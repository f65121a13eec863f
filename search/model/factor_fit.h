// Factors of the terms of a sum, fitted to measured sums as the posterior mean of a linear model. A
// factor is 1 plus a normal component shared by all terms of its kind plus a normal component of
// its own. Extra noise, chosen by maximum likelihood, covers sums that no factors explain
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.4.1).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace halftone {

// Standard deviations of the two components of a factor.
struct FitPrior {
  double kind_deviation = 0.5;
  double own_deviation = 0.5;
};

// One measured sum, with its terms as shares of the measured value. With the right factors, the
// shares add up to 1 except for noise.
struct FitRow {
  std::vector<std::pair<std::size_t, double>> shares;  // term, share
  double noise = 0.05;  // standard deviation, relative to the measured value
};

// Fitted factors, one per term. `kinds` has the kind of every term, `priors` one prior for every
// kind. Without rows, all factors are 1. No factor is below 0.05, because a sum of many terms
// cannot show that one of them vanishes.
std::vector<double> FitFactors(std::span<const std::size_t> kinds, std::span<const FitRow> rows,
                               std::span<const FitPrior> priors);

}  // namespace halftone
