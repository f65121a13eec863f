// Search for sentinels in a float32 output: elements so far beyond the others that their power
// hides every error of the others, such as finfo.min of a suppressed logit or -1e4 of an attention
// mask. Metrics judge sentinels apart from the other elements.
#pragma once

#include <limits>
#include <span>

#include "src/ir/tensor.h"

namespace halftone {

// Magnitudes are sorted into binades [2^e, 2^(e+1)). The top cluster holds the largest elements
// down to the first gap of kFewestEmpty or more empty binades. It is set apart if all of this
// holds:
// - It spans at most kWidestCluster binades, because sentinels are one number, or one number with
//   small numbers added to it.
// - It begins at 2^kLeastBinade or above. The smallest sentinel in use, -1e4 of BERT's attention
//   mask, lies in that binade, while probabilities and similar outputs stay far below.
// - The number of its elements times the number of empty binades is kSureBits or more. In a tail as
//   heavy as that of the Cauchy distribution, the k-th largest magnitude is at least r times the
//   next with probability r^-k (Renyi's representation of order statistics, Pareto tail with
//   exponent 1). So the chance of such a gap in such a tail is one in a million. This condition is
//   dropped if every element of the cluster is the largest number of a dtype.
// - Below it there are other elements that are not 0. Without them (a constant output, one element,
//   one element among zeros) the cluster hides no error.
// After that the next cluster is tested in the same way, so that -1e9 beside finfo.min is set apart
// too.
inline constexpr int kFewestEmpty = 6;
inline constexpr int kWidestCluster = 2;
inline constexpr int kLeastBinade = 13;
inline constexpr int kSureBits = 20;

struct SetApart {
  // Elements of this magnitude or more are set apart; infinity: no element is.
  double from = std::numeric_limits<double>::infinity();
  double largest = 0;  // largest finite magnitude of all elements

  // True if an element of this value is set apart.
  [[nodiscard]] bool Holds(double value) const { return value >= from || -value >= from; }

  // True if the result of an element set apart is still a sentinel: it lies above the middle of the
  // narrowest possible gap below `from`.
  [[nodiscard]] bool IsNear(double value) const {
    constexpr double kHalfOfGap = 1 << (kFewestEmpty / 2);
    return Holds(value * kHalfOfGap);
  }
};

// The elements of `reference` to set apart, among its finite ones. Requires a floating dtype.
SetApart SetApartIn(const Tensor& reference);

// Largest finite magnitude; 0 without a finite value.
float LargestFinite(std::span<const float> values);

// True if the magnitude of the value is the largest finite number of a floating dtype. A target
// that saturates turns larger magnitudes into this number.
bool IsLargestOfADtype(double value);

}  // namespace halftone
