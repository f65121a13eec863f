// One-sided confidence limits of a population mean from a few samples. The samples must be drawn
// independently from that population. Pure functions.
#pragma once

#include <cstdint>
#include <span>

namespace halftone {

struct ConfidenceOptions {
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// Lower confidence limit of the mean of values in [0, 1] with any distribution: with probability
// `confidence` or more, for any number of values, the mean is not below it. 0 without values.
// Method: a gambler stakes against the hypothesis "the mean is at most m", as the values before
// advise; under it the capital reaches 1 / (1 - confidence) times the start with probability 1 -
// confidence at most, so an m for which it does is rejected (Waudby-Smith and Ramdas, "Estimating
// means of bounded random variables by betting", 2024). n values of 1 give about (1 -
// confidence)^(1/n).
double LowerLimitOfBoundedMean(std::span<const double> values,
                               const ConfidenceOptions& options = {});

// Upper confidence limit of the mean of non-negative values without an upper bound, such as error
// powers. The larger of two limits: the studentised bootstrap, which follows the skew of the values
// (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12), and that of a
// log-normal distribution, whose long tail few values do not show (Krishnamoorthy and Mathew,
// "Inferences on the means of lognormal distributions using generalized p-values and generalized
// confidence intervals", 2003). No distribution-free limit exists; tests/base/confidence_test.cc
// measures the coverage. Infinite when the values are too few: one, or so few that many resamples
// have no spread. Equal values give that value when there are at least 8, else infinity.
double UpperLimitOfMean(std::span<const double> values, const ConfidenceOptions& options = {});

}  // namespace halftone
