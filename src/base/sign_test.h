// Sign test of two counts, and the confidence interval of a median that follows from it. Exact for
// every count, without assumptions about distributions. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/base/stats.h"

namespace halftone {

// Two-sided p value: the probability that heads + tails fair coins fall at least as unevenly (Dixon
// and Mood, "The statistical sign test", 1946). Applied to the cases in which two classifiers
// differ, it is the exact form of McNemar's test (1947). 1 without events. Relative error below
// 1e-12 * (heads + tails). Requires counts of 0 or more.
double SignTestP(std::int64_t heads, std::int64_t tails);

// Confidence interval of the median, from the k-th smallest to the k-th largest value of `sample`,
// with the greatest k that is allowed. If the values are drawn independently from any distribution,
// the interval misses its median with a probability of at most `miss`: a miss means that fewer than
// k values lie on one side of the median, which is a sign test. Empty if not even the whole range
// is enough (n < 1 - log2(miss)). Requires 0 < miss < 1.
std::optional<Interval> MedianInterval(std::span<const double> sample, double miss);

}  // namespace halftone
