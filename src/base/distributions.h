// Student's t and the binomial distribution.
#pragma once

#include <cstdint>

namespace halftone {

// The t that a variable of Student's distribution with `freedom` degrees of freedom exceeds in
// magnitude with probability `miss`: 12.706 for 5 % and one degree. Relative error below 1e-9.
// Requires 0 < miss < 1 and freedom >= 1; above 1000 degrees the t of 1000.
double StudentT(double miss, int freedom);

// Probability of exactly `count` events, and of at most `count`, in `trials` of probability p each.
// Relative error below 1e-12 x trials. Require 0 <= count <= trials and 0 < p < 1.
double BinomialExactly(std::int64_t count, std::int64_t trials, double p);
double BinomialUpTo(std::int64_t count, std::int64_t trials, double p);

// The p of which at most `count` events in `trials` have probability `miss`: the upper limit of
// Clopper and Pearson. Requires 0 <= count < trials and 0 < miss < 1.
double BinomialUpperLimit(std::int64_t count, std::int64_t trials, double miss);

}  // namespace halftone
