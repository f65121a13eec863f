// Times of the same matrix products in each number format: the part of a machine profile that shows
// whether 8 bits pay on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/parallel.h"
#include "search/operators/operator_profile.h"
#include "src/target/target_spec.h"

namespace halftone {

// OperatorProfile::op of this part of the profile. Its only call holds the seconds of the products
// by format name ("qint8").
inline constexpr std::string_view kFormatTimes = "number formats";

// Times two successive products of 256 x 512 by 512 x 512 with constant weights, in float32 and in
// every format of the target. The times are medians of 7 runs; the formats take turns. Takes at
// most 0.1 s and 100 MiB.
OperatorProfile MeasureFormatTimes(const TargetSpec& target, const ThreadPool& pool,
                                   std::uint64_t seed);

// The fastest format with a scale (per tensor or per row), compared with the fastest format without
// one.
struct ScaledSpeed {
  std::string scaled;  // "int8"
  std::string other;   // "bfloat16"
  double ratio = 1;    // time of `scaled` over that of `other`

  friend bool operator==(const ScaledSpeed&, const ScaledSpeed&) = default;
};

// Empty if the profile lacks the times of one of these two kinds of format.
std::optional<ScaledSpeed> ScaledSpeedIn(const OperatorProfile& profile);

// Time of a number format other than float32.
struct FormatTime {
  std::string format;  // "int8"
  double ratio = 1;    // time of the products over that in float32

  // A format pays if its ratio is less than this; the margin covers casts and operators that do not
  // run in the format. Chosen, not measured.
  static constexpr double kPays = 0.95;

  [[nodiscard]] bool pays() const { return ratio < kPays; }

  friend bool operator==(const FormatTime&, const FormatTime&) = default;
};

// Formats other than float32, fastest first; empty if the profile holds no format times, or none of
// float32.
std::vector<FormatTime> FormatTimesIn(const OperatorProfile& profile);

// Sentence without a full stop that says which formats pay; empty if `times` is empty.
std::string WhatPays(std::span<const FormatTime> times);

}  // namespace halftone
