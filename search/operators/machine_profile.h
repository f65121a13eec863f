// Machine profile: predicts how the kernels of an operator compare on this machine, from timed
// calls of other shapes (search/operators/profile_network.h).
//
// The logarithm of the ratio of two kernels' times changes slowly with the logarithms of a call's
// extents. A weighted linear fit predicts this ratio from the nearest calls of the same family
// (CallShape::family) in which both kernels were timed. The scatter of these calls about the fit,
// and the distance of the nearest one, give the spread of the prediction.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/operators/operator_profile.h"

namespace halftone {

// Natural logarithm of a ratio of times.
struct LogRatio {
  double mean = 0;
  double spread = 0;  // standard deviation, from the scatter and the distance of the calls
};

// Prediction for the kernels of a call.
struct KernelForecast {
  std::size_t fastest = 0;  // index into the kernels
  // The fastest kernel, and all kernels that may be less than kCloseRatio times as slow, as
  // ascending indices. With a single contender, the call needs no timing.
  std::vector<std::size_t> contenders;
};

// A kernel is not tried if it is this much slower than the fastest one, even after the spread is
// subtracted.
inline constexpr double kCloseRatio = 1.15;

class MachineProfile {
 public:
  void Add(OperatorProfile profile);

  [[nodiscard]] bool empty() const { return profiles_.empty(); }

  // Time of `kernel` over the time of `other`; empty if no call of the family has both.
  [[nodiscard]] std::optional<LogRatio> Compare(const CallShape& shape, const std::string& kernel,
                                                const std::string& other) const;

  // Time of the fastest kernel for `shape` over the time of the fastest kernel for `other`, which
  // is the same call in another format. Empty if no extents were timed in both families.
  [[nodiscard]] std::optional<LogRatio> CompareFastest(const CallShape& shape,
                                                       const CallShape& other) const;

  // Forecast for a call with these kernels; empty if the profile lacks the family of `shape`, or
  // one of the kernels in it.
  [[nodiscard]] std::optional<KernelForecast> Forecast(const CallShape& shape,
                                                       std::span<const std::string> kernels) const;

 private:
  [[nodiscard]] std::vector<const ProfiledCall*> CallsOf(const CallShape& shape) const;

  std::vector<OperatorProfile> profiles_;
};

}  // namespace halftone
