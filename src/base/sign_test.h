// Sign test: how unlikely is a split of n events as uneven as this one? Exact for every n, without
// assumptions about distributions. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/base/stats.h"

namespace halftone {

// Two-sided p value of the sign test: the probability that fair coins fall at least as unevenly as
// `heads` against `tails` (Dixon and Mood, "The statistical sign test", 1946; over cases in which
// two classifiers differ it is the exact form of McNemar's test, 1947). 1 without events. Relative
// error below 1e-12 x (heads + tails). Requires neither to be negative.
double SignTestP(std::int64_t heads, std::int64_t tails);

// Confidence interval of the median, between order statistics of `sample`. If the draws are
// independent, it misses the median of their distribution, whatever that is, with probability
// `miss` at most: the median lies outside x(k) .. x(n + 1 - k) only when k - 1 draws or fewer fall
// on one side of it, which is a sign test. Returns the narrowest such interval; empty where not
// even the whole range is enough (n < 1 - log2(miss)), and for an empty sample. Requires 0 < miss <
// 1.
std::optional<Interval> MedianInterval(std::span<const double> sample, double miss);

}  // namespace halftone
