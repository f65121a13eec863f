// Limits of a run of one network at one input shape: a stop by the user, and the part of the time
// budget that this shape gets.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

// Decides after each piece of work whether another one may begin. A piece is expected to take as
// long as the longest one so far.
class RunLimits {
 public:
  // `shapes`: number of shapes that share the remaining budget equally, this one included. `hooks`
  // must outlive the object.
  RunLimits(const RunHooks& hooks, std::size_t shapes);

  // Call after each piece of work. True if nobody asked to stop, and after another piece at least
  // the share `kept` of this shape's part of the budget would be left.
  [[nodiscard]] bool GoesOn(double kept);

  // Clause: why the remaining budget is too short to measure a latency. Empty: a warm-up and one
  // round fit.
  [[nodiscard]] std::string WhyNoLatency() const;

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  [[nodiscard]] bool limited() const { return hooks_.time != nullptr && hooks_.time->limit_s(); }

  [[nodiscard]] double Left() const;

  const RunHooks& hooks_;
  double others_s_ = 0;  // seconds of the budget for the shapes that follow
  double own_s_ = std::numeric_limits<double>::infinity();  // seconds for this shape
  double last_s_ = 0;                                       // Left() after the last piece
  double longest_s_ = 0;                                    // seconds of the longest piece
  bool interrupted_ = false;
};

// Share of a shape's part of the budget that accuracy leaves for latency.
inline constexpr double kLatencyShare = 0.5;

}  // namespace halftone
