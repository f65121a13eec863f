// What operator tuning found out about one operator, as it is kept and reported.
#pragma once

#include <string>

#include "src/base/stats.h"

namespace halftone {

struct OperatorTiming {
  std::string signature;      // src/exec/operator_signature.h
  std::string static_kernel;  // what runs without tuning
  std::string kernel;         // the fastest; static_kernel when no other is faster beyond a tie
  double ratio = 1;           // time with `kernel` / time with static_kernel, of the same rounds
  Interval ratio_interval{1, 1};  // 95 %
  int rounds = 0;
  double static_s = 0;  // median seconds of one call with static_kernel, here and then

  [[nodiscard]] bool tuned() const { return kernel != static_kernel; }

  friend bool operator==(const OperatorTiming&, const OperatorTiming&) = default;
};

}  // namespace halftone
