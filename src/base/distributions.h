// Student's t and the binomial distribution.
#pragma once

#include <cstdint>
#include <span>

namespace halftone {

// Two-sided quantile of Student's distribution: the t with P(|T| > t) = miss for `freedom` degrees
// of freedom. 12.706 for 5 % and one degree. Relative error below 1e-9. Requires 0 < miss < 1 and
// freedom >= 1. More than 1000 degrees count as 1000.
double StudentT(double miss, int freedom);

// Half the width of the interval that misses the mean with probability `miss`, of independent
// normal values; 0 for fewer than two.
double StudentHalfWidth(std::span<const double> values, double miss);

// Probability of exactly `count` events, and of at most `count` events, in `trials` independent
// trials with probability p each. Relative error below 1e-12 * trials. Requires 0 <= count <=
// trials and 0 < p < 1.
double BinomialExactly(std::int64_t count, std::int64_t trials, double p);
double BinomialUpTo(std::int64_t count, std::int64_t trials, double p);

// Upper confidence limit of Clopper and Pearson: the p with BinomialUpTo(count, trials, p) = miss.
// Requires 0 <= count < trials and 0 < miss < 1.
double BinomialUpperLimit(std::int64_t count, std::int64_t trials, double miss);

}  // namespace halftone
