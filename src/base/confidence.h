// One-sided confidence limits of a population mean from a few samples. The samples must be drawn
// independently from that population. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace halftone {

// Fewest values for a limit of their mean when all are equal: fewer show nothing of their spread.
inline constexpr std::size_t kFewestEqualValues = 8;

struct ConfidenceOptions {
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// Lower confidence limit of the mean of values in [0, 1] with any distribution: with probability
// `confidence` or more, for any number of values, the mean is not below it. 0 without values.
// Method: a gambler bets against the hypothesis "the mean is at most m", each stake chosen by the
// values before. If the hypothesis holds, the capital reaches 1 / (1 - confidence) times the start
// with probability 1 - confidence at most; an m for which it does so is rejected (Waudby-Smith and
// Ramdas, "Estimating means of bounded random variables by betting", 2024). n values of 1 give
// about (1 - confidence)^(1/n).
double LowerLimitOfBoundedMean(std::span<const double> values,
                               const ConfidenceOptions& options = {});

// Upper confidence limit of the probability of an event that `count` of `n` independent trials
// show: exact and one-sided (Clopper and Pearson, "The use of confidence or fiducial limits
// illustrated in the case of the binomial", 1934). 1 - (1 - confidence)^(1/n) for none; 1 for all,
// and for n = 0. Requires count <= n. Cost: `count` + 1 terms in each of 60 bisections.
double UpperLimitOfShare(std::size_t count, std::size_t n, double confidence);

// Fewest trials that limit a probability to `share`, in (0, 1), when none of them shows the event:
// ceil(log(1 - confidence) / log(1 - share)). 59 for 5 %, 598 for 0.5 %, with 95 % confidence.
std::size_t TrialsForShare(double share, double confidence);

// Upper confidence limit of the mean of non-negative values without an upper bound, such as error
// powers. It is the larger of two limits. The studentised bootstrap follows the skew of the values
// (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12). A log-normal
// distribution has a long tail that few values do not show (Krishnamoorthy and Mathew, "Inferences
// on the means of lognormal distributions using generalized p-values and generalized confidence
// intervals", 2003); it is fitted to the values within 60 dB of the largest, since smaller ones,
// exact results among them, would look like a spread of the others, and add at most 1e-6 of the
// largest. No distribution-free limit exists; tests/base/confidence_test.cc measures the coverage.
// Infinite when the values are too few: one, or so few that many resamples have no spread. Equal
// values give that value when there are at least kFewestEqualValues, else infinity.
double UpperLimitOfMean(std::span<const double> values, const ConfidenceOptions& options = {});

// The studentised bootstrap alone, for values of any sign whose tails are not known. Treats too few
// and equal values as UpperLimitOfMean().
double UpperLimitByBootstrap(std::span<const double> values, const ConfidenceOptions& options = {});

// Upper confidence limit of the mean of min(value, cap): the winsorised mean of non-negative
// values, which no tail dominates. By LowerLimitOfBoundedMean(), so of any distribution; n values
// near 0 give about 3.2 cap / n. The bias against the mean is stated by `cap`, which must be fixed
// without these values. Requires cap > 0; `cap` without values.
double UpperLimitOfCappedMean(std::span<const double> values, double cap,
                              const ConfidenceOptions& options = {});

}  // namespace halftone
