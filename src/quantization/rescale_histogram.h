// A histogram over another range with the same number of bins, as Glow's profiles are rewritten.
#pragma once

#include <span>
#include <vector>

namespace halftone {

// The counts of `source`, equal bins from `low` to `high`, in as many equal bins from `new_low` to
// `new_high`; each range has low < high. A bin that overlaps several new ones gives each the share
// of its overlap, rounded half away from zero and in ascending order at most what is left; so
// counts stay whole, and where the new range contains the old one their sum stays nearly the same
// (rounding may drop some, never add). Counts outside the new range are dropped. Glow computes in
// float32 (lib/Quantization/Base/Profile.cpp, rescaleHistogram), AIMET in double.
template <typename Real>
std::vector<Real> RescaledHistogram(std::span<const Real> source, Real low, Real high, Real new_low,
                                    Real new_high);

extern template std::vector<float> RescaledHistogram<float>(std::span<const float>, float, float,
                                                            float, float);
extern template std::vector<double> RescaledHistogram<double>(std::span<const double>, double,
                                                              double, double, double);

}  // namespace halftone
