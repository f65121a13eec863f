// Result of operator tuning for one operator, as stored and reported.
#pragma once

#include <string>
#include <string_view>

#include "src/base/stats.h"

namespace halftone {

// Prefix of the signature of a whole network. A network is stored as an operator, so that its gain
// is not measured twice; such a timing chooses no kernel.
inline constexpr std::string_view kNetworkSignature = "network ";

struct OperatorTiming {
  std::string signature;      // src/exec/operator_signature.h
  std::string static_kernel;  // kernel without tuning
  // The fastest kernel; static_kernel if no other kernel is faster by more than a tie
  // (OperatorTunerOptions::tie).
  std::string kernel;
  double ratio = 1;  // time with `kernel` / time with static_kernel, in the same rounds
  Interval ratio_interval{1, 1};  // 95 %
  int rounds = 0;
  // Median seconds of one call with static_kernel. It is not comparable between tunings.
  double static_s = 0;
  // Kernels that were timed, separated by blanks; empty: all candidates.
  std::string compared;

  [[nodiscard]] bool of_network() const { return signature.starts_with(kNetworkSignature); }

  // True if the kernel of an operator differs from the one without tuning.
  [[nodiscard]] bool tuned() const { return kernel != static_kernel && !of_network(); }

  friend bool operator==(const OperatorTiming&, const OperatorTiming&) = default;
};

}  // namespace halftone
