// Result of operator tuning for one operator, as stored and reported.
#pragma once

#include <string>
#include <string_view>

#include "src/base/stats.h"

namespace halftone {

// Begin of the signature of a whole network, which is stored as an operator so that its gain is not
// measured twice. Such a timing chooses no kernel.
inline constexpr std::string_view kNetworkSignature = "network ";

struct OperatorTiming {
  std::string signature;      // src/exec/operator_signature.h
  std::string static_kernel;  // kernel without tuning
  std::string kernel;         // the fastest; static_kernel when no other is faster beyond a tie
  double ratio = 1;           // time with `kernel` / time with static_kernel, of the same rounds
  Interval ratio_interval{1, 1};  // 95 %
  int rounds = 0;
  double static_s =
      0;  // median seconds of one call with static_kernel, not comparable between runs
  // Kernels that were timed, separated by blanks. Empty: every candidate.
  std::string compared;

  [[nodiscard]] bool of_network() const { return signature.starts_with(kNetworkSignature); }

  // True for an operator whose kernel differs from the one without tuning.
  [[nodiscard]] bool tuned() const { return kernel != static_kernel && !of_network(); }

  friend bool operator==(const OperatorTiming&, const OperatorTiming&) = default;
};

}  // namespace halftone
