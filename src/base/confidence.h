// One-sided confidence limits of the mean of a population, or of a probability, from few values.
// The values must be drawn independently from the population. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace halftone {

// Fewest equal values that give a finite limit of the mean: fewer say nothing about the spread.
inline constexpr std::size_t kFewestEqualValues = 8;

struct ConfidenceOptions {
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// Lower confidence limit of the mean of values in [0, 1], for any distribution and any number of
// values: with probability `confidence` at least, the mean is not below the limit. 0 without
// values; about (1 - confidence)^(1/n) for n values of 1.
//
// Method: a gambler bets against the hypothesis "the mean is at most m" and chooses each stake from
// the earlier values. If the hypothesis holds, the capital reaches 1 / (1 - confidence) times its
// start with a probability of at most 1 - confidence. Each m for which the capital does reach that
// is rejected (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
// 2024).
double LowerLimitOfBoundedMean(std::span<const double> values,
                               const ConfidenceOptions& options = {});

// Upper confidence limit of the probability of an event that occurred in `count` of `n` independent
// trials: exact and one-sided (Clopper and Pearson, "The use of confidence or fiducial limits
// illustrated in the case of the binomial", 1934). 1 - (1 - confidence)^(1/n) if count = 0; 1 if
// count = n. Requires count <= n.
double UpperLimitOfShare(std::size_t count, std::size_t n, double confidence);

// Fewest trials without the event that limit its probability to `share`, in (0, 1):
// ceil(log(1 - confidence) / log(1 - share)). With 95 % confidence: 59 for 5 %, 598 for 0.5 %.
std::size_t TrialsForShare(double share, double confidence);

// Upper confidence limit of the mean of non-negative values without an upper bound, such as error
// powers. No limit holds for every distribution; tests/base/confidence_test.cc measures the
// coverage. The result is the larger of two limits:
// - the studentised bootstrap, which follows the skew of the values (Efron and Tibshirani, An
//   Introduction to the Bootstrap, 1993, chapter 12);
// - the limit of a log-normal distribution, whose long tail few values do not show (Krishnamoorthy
//   and Mathew, "Inferences on the means of lognormal distributions using generalized p-values and
//   generalized confidence intervals", 2003). The distribution is fitted to the values within 60 dB
//   of the largest. Smaller values, such as those of exact results, would widen its spread; they
//   add at most 1e-6 of the largest to the limit.
//
// Infinite if the values are too few: fewer than 2, or so few that many resamples have no spread.
// Equal values give their value if there are at least kFewestEqualValues, else infinity.
double UpperLimitOfMean(std::span<const double> values, const ConfidenceOptions& options = {});

// Upper confidence limit of the mean by the studentised bootstrap alone, for values of any sign.
// Too few values and equal values are treated as in UpperLimitOfMean().
double UpperLimitByBootstrap(std::span<const double> values, const ConfidenceOptions& options = {});

// Upper confidence limit of the mean of min(value, cap) for non-negative values: the winsorised
// mean, which no tail dominates. It follows from LowerLimitOfBoundedMean(), so it holds for any
// distribution. n values near 0 give about 3.2 * cap / n at 95 %; no values give `cap`. Requires
// cap > 0; `cap` must be chosen without looking at the values.
double UpperLimitOfCappedMean(std::span<const double> values, double cap,
                              const ConfidenceOptions& options = {});

}  // namespace halftone
