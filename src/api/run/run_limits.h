// End of a run of one network at one input shape: Ctrl-C, and its part of a time budget.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

// Limits that are asked after each piece of work; a piece is taken to need as long as the longest
// one before it.
class RunLimits {
 public:
  // `shapes`: number of shapes that share the remaining budget, this one included. `hooks` must
  // outlive it.
  RunLimits(const RunHooks& hooks, std::size_t shapes);

  // True if another piece fits, leaves the share `kept` of this shape's part unused, and nobody
  // asked to stop.
  [[nodiscard]] bool GoesOn(double kept);

  // Reason why the budget is too short for a latency, so that none is begun; a clause. Empty: a
  // warm-up and a round fit.
  [[nodiscard]] std::string WhyNoLatency() const;

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  [[nodiscard]] bool limited() const { return hooks_.time != nullptr && hooks_.time->limit_s(); }

  [[nodiscard]] double Left() const;

  const RunHooks& hooks_;
  double others_s_ = 0;  // of the budget that belong to other shapes
  double own_s_ = std::numeric_limits<double>::infinity();
  double last_s_ = 0;  // Left() behind the last piece
  double longest_s_ = 0;
  bool interrupted_ = false;
};

// Share of a budget that accuracy leaves for latency.
inline constexpr double kLatencyShare = 0.5;

}  // namespace halftone
