// One-sided confidence limits of means: what a few samples allow to promise of all of their kind.
// The samples must be drawn independently from what is promised for. Pure functions.
#pragma once

#include <cstdint>
#include <span>

namespace halftone {

struct ConfidenceOptions {
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// A lower limit of the mean of values in [0, 1], which may have any distribution: with probability
// `confidence` at least, whatever the number of values, the mean is not below. 0 without values.
// A gambler stakes on each value being above m what the values before advise; who believes in a
// mean of m or less gains 1 / (1 - confidence) times the capital with probability 1 - confidence at
// most, so such an m is refused (Waudby-Smith and Ramdas, "Estimating means of bounded random
// variables by betting", 2024). n values of 1 give about (1 - confidence)^(1/n).
double LowerLimitOfBoundedMean(std::span<const double> values,
                               const ConfidenceOptions& options = {});

// An upper limit of the mean of non-negative values without a largest one, as error powers are. The
// larger of two: the studentised bootstrap, which follows whatever skew the values show (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12), and that of a log-normal
// distribution, whose long tail few values do not show (Krishnamoorthy and Mathew, "Inferences on
// the means of lognormal distributions using generalized p-values and generalized confidence
// intervals", 2003). No distribution-free limit exists; tests/base/confidence_test.cc measures how
// often this one holds. Infinite when the values are too few to say: one, or so few that many
// resamples have no spread. Equal values give that value when they are at least 8, else infinity.
double UpperLimitOfMean(std::span<const double> values, const ConfidenceOptions& options = {});

}  // namespace halftone
