// Machine profile: predicts how the kernels of an operator compare on this machine, from timed
// calls of other shapes (search/operators/profile_network.h).
//
// The logarithm of the ratio of two kernels' times changes slowly with the logarithms of a call's
// extents. A weighted linear fit predicts it from the nearest calls of the same family in which
// both kernels were timed; the distance of these calls from the fit gives the spread of the
// prediction.
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
  double spread = 0;  // standard deviation: scatter of the calls about the fit, and their distance
};

// Prediction for the kernels of a call.
struct KernelForecast {
  std::size_t fastest = 0;  // index into the kernels
  // The fastest kernel, and in order all that are or may be within kCloseRatio of it. With one
  // contender, the call needs no timing.
  std::vector<std::size_t> contenders;
};

// A kernel this much slower than another one, beyond the spread, is not tried.
inline constexpr double kCloseRatio = 1.15;

class MachineProfile {
 public:
  void Add(OperatorProfile profile);

  [[nodiscard]] bool empty() const { return profiles_.empty(); }

  // Time of `kernel` over that of `other`; empty: no call of the family has both.
  [[nodiscard]] std::optional<LogRatio> Compare(const CallShape& shape, const std::string& kernel,
                                                const std::string& other) const;

  // Time of the fastest kernel for `shape` over that of the fastest kernel for `other`, the same
  // call in another format; empty: no extents were timed in both families.
  [[nodiscard]] std::optional<LogRatio> CompareFastest(const CallShape& shape,
                                                       const CallShape& other) const;

  // Empty: the profile does not know the shape's family, or one of the kernels in it.
  [[nodiscard]] std::optional<KernelForecast> Forecast(const CallShape& shape,
                                                       std::span<const std::string> kernels) const;

 private:
  [[nodiscard]] std::vector<const ProfiledCall*> CallsOf(const CallShape& shape) const;

  std::vector<OperatorProfile> profiles_;
};

}  // namespace halftone
