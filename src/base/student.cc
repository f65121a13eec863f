#include "src/base/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/base/error.h"

namespace halftone {
namespace {

// Probability that |t| is above sqrt(freedom) tan(angle): finite sums over the powers of the cosine
// (Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 26.7.3 and 26.7.4).
double Tail(double angle, int freedom) {
  const double cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (int i = odd ? 1 : 0; i <= freedom - 2; i += 2) {
    sum += term;
    term *= cosine * cosine * (i + 1) / (i + 2);
  }
  const double inside =
      odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return 1 - inside;
}

}  // namespace

double StudentT(double miss, int freedom) {
  Check(miss > 0 && miss < 1, "a probability outside 0..1");
  Check(freedom >= 1, "Student's distribution without a degree of freedom");
  const int degrees = std::min(freedom, 1000);
  double low = 0;
  double high = std::numbers::pi / 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (Tail(middle, degrees) > miss ? low : high) = middle;
  }
  return std::sqrt(degrees) * std::tan((low + high) / 2);
}

}  // namespace halftone
