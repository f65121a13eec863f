// Sentinels in a float32 output: elements so far beyond the others that their power hides every
// error of these (finfo.min of a suppressed logit, the -1e4 of an attention mask). Metrics judge
// them apart.
#pragma once

#include <limits>

#include "src/ir/tensor.h"

namespace halftone {

// Magnitudes lie in binades [2^e, 2^(e+1)). A cluster is the set of elements, from the top, above a
// gap of at least kFewestEmpty empty binades. It is set apart when all of these hold:
// - It does not span more than kWidestCluster binades: sentinels are one number, or one number with
//   small ones added to it.
// - It begins at 2^kLeastBinade or above, which holds the smallest sentinel in use (-1e4, the
//   attention mask of BERT): probabilities and their like are never apart.
// - Of a tail as heavy as Cauchy's, the k-th largest magnitude is r times the next with probability
//   r^-k (Renyi's representation of order statistics of a Pareto tail with exponent 1). Elements
//   times empty binades must be kSureBits or more, a chance of one in a million for such a tail.
//   This is not asked of a cluster in which each element is the largest number of a dtype.
// The next cluster below is then tried, so that -1e9 below finfo.min is set apart, too. A cluster
// without other elements below it, zeros left out, hides nothing and is not set apart: constants,
// one element, one among zeros.
inline constexpr int kFewestEmpty = 6;
inline constexpr int kWidestCluster = 2;
inline constexpr int kLeastBinade = 13;
inline constexpr int kSureBits = 20;

struct SetApart {
  // Elements of this magnitude or more are apart; infinity: none is.
  double from = std::numeric_limits<double>::infinity();
  double largest = 0;  // of the finite magnitudes

  [[nodiscard]] bool Holds(double value) const { return value >= from || -value >= from; }

  // True if a value is still above the middle of the least gap.
  [[nodiscard]] bool IsNear(double value) const {
    constexpr double kHalfOfGap = 1 << (kFewestEmpty / 2);
    return Holds(value * kHalfOfGap);
  }
};

// Requires a floating dtype. Infinities and NaN do not count.
SetApart SetApartIn(const Tensor& reference);

// True if the value is the largest finite number of a floating dtype or the negative of it: a
// saturating target turns greater magnitudes into these.
bool IsLargestOfADtype(double value);

}  // namespace halftone
