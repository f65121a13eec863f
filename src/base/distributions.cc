#include "src/base/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "src/base/error.h"

namespace halftone {
namespace {

// In double throughout: the same digits with and without a wider type. A t beyond double is
// infinite.
using Policy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
using Student = boost::math::students_t_distribution<double, Policy>;
using Binomial = boost::math::binomial_distribution<double, Policy>;

Binomial Events(std::int64_t count, std::int64_t trials, double p) {
  Check(count >= 0 && count <= trials, "more events than trials, or fewer than none");
  return {static_cast<double>(trials), p};
}

}  // namespace

double StudentT(double miss, int freedom) {
  Check(miss > 0 && miss < 1, "a probability outside 0..1");
  Check(freedom >= 1, "Student's distribution without a degree of freedom");
  return quantile(complement(Student(std::min(freedom, 1000)), miss / 2));
}

double StudentHalfWidth(std::span<const double> values, double miss) {
  if (values.size() < 2) {
    return 0;
  }
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return StudentT(miss, static_cast<int>(values.size()) - 1) *
         std::sqrt(squares / (count - 1) / count);
}

double BinomialExactly(std::int64_t count, std::int64_t trials, double p) {
  return pdf(Events(count, trials, p), static_cast<double>(count));
}

double BinomialUpTo(std::int64_t count, std::int64_t trials, double p) {
  return cdf(Events(count, trials, p), static_cast<double>(count));
}

double BinomialUpperLimit(std::int64_t count, std::int64_t trials, double miss) {
  Check(count >= 0 && count < trials, "an upper limit of all trials, or of fewer than none");
  return Binomial::find_upper_bound_on_p(static_cast<double>(trials), static_cast<double>(count),
                                         miss);
}

}  // namespace halftone
