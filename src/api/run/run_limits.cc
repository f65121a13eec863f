#include "src/api/run/run_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace halftone {
namespace {

// Fewest pieces of a latency: a run of both networks to warm up, and a round that counts.
constexpr double kFewestPieces = 2;

// Seconds left, below 0 once it is over: pieces of work behind that are told apart. Requires a
// limit.
double LeftOf(const TimeBudget& time) {
  return *time.limit_s() - time.elapsed_s();
}

}  // namespace

RunLimits::RunLimits(const RunHooks& hooks, std::size_t shapes) : hooks_(hooks) {
  if (limited()) {
    const double left_s = LeftOf(*hooks.time);
    own_s_ = left_s / static_cast<double>(std::max<std::size_t>(shapes, 1));
    others_s_ = left_s - own_s_;
    last_s_ = own_s_;
  }
}

double RunLimits::Left() const {
  return LeftOf(*hooks_.time) - others_s_;
}

bool RunLimits::GoesOn(double kept) {
  interrupted_ = interrupted_ || (hooks_.stop_requested && hooks_.stop_requested());
  if (interrupted_ || !limited()) {
    return !interrupted_;
  }
  const double left_s = Left();
  longest_s_ = std::max(longest_s_, last_s_ - left_s);
  last_s_ = left_s;
  return left_s - longest_s_ >= kept * own_s_;
}

std::string RunLimits::WhyNoLatency() const {
  if (!limited() || Left() >= kFewestPieces * longest_s_) {
    return {};
  }
  return fmt::format("{:.2g} s of --budget are left, and a run of both networks takes {:.2g} s",
                     std::max(0.0, Left()), longest_s_);
}

}  // namespace halftone
