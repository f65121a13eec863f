// Transfer of a histogram to another range with the same number of bins, as in Glow.
#pragma once

#include <span>
#include <vector>

namespace halftone {

// Distributes the counts of `source`, in equal bins from `low` to `high`, over as many equal bins
// from `new_low` to `new_high`. Requires low < high in both ranges.
//
// A bin gives each new bin a share of its count in proportion to their overlap, rounded half away
// from zero. New bins take their shares in ascending order, and none takes more than what is left
// of the count. So whole counts stay whole. If the new range contains the old one, the sum of the
// counts stays nearly the same: rounding may drop counts but never adds any. Counts outside the new
// range are dropped.
//
// Glow computes in float32 (lib/Quantization/Base/Profile.cpp, rescaleHistogram), AIMET in double.
template <typename Real>
std::vector<Real> RescaledHistogram(std::span<const Real> source, Real low, Real high, Real new_low,
                                    Real new_high);

extern template std::vector<float> RescaledHistogram<float>(std::span<const float>, float, float,
                                                            float, float);
extern template std::vector<double> RescaledHistogram<double>(std::span<const double>, double,
                                                              double, double, double);

}  // namespace halftone
