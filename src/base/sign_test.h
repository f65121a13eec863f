// What coin tosses say: of n events that go either way, how unlikely is a split as uneven as this
// one? Exact for every n, and free of assumptions about distributions. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/base/stats.h"

namespace halftone {

// Two-sided p value of the sign test: the probability that fair coins fall at least as unevenly as
// `heads` against `tails` (Dixon and Mood, "The statistical sign test", 1946; of cases in which two
// classifiers differ it is the exact form of McNemar's test, 1947). 1 where there are none.
// Relative error below 1e-12 x (heads + tails). Requires neither to be negative.
double SignTestP(std::int64_t heads, std::int64_t tails);

// The interval between order statistics that misses the median of the distribution behind `sample`
// with a probability of at most `miss`, whatever that distribution, if its draws are independent:
// the median lies outside x(k) .. x(n + 1 - k) only when k - 1 draws or fewer fall on one side of
// it, which is a sign test. The narrowest such interval; empty where not even the whole range is
// enough (n < 1 - log2(miss)), and for an empty sample. Requires 0 < miss < 1.
std::optional<Interval> MedianInterval(std::span<const double> sample, double miss);

}  // namespace halftone
