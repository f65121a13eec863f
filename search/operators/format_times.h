// Times of the same matrix products in each number format of the host: the part of a machine
// profile that says whether 8 bits pay here at all.
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

// OperatorProfile::op of this part. Its one call has the seconds of the products by the
// name of the format ("qint8").
inline constexpr std::string_view kFormatTimes = "number formats";

// Times two products of 256 x 512 by 512 x 512, one behind the other, with constant weights, in
// float32 and in every format of the target: medians of 7 runs, in turns. 0.1 s or less; 100 MiB at
// most.
OperatorProfile MeasureFormatTimes(const TargetSpec& target, const ThreadPool& pool,
                                   std::uint64_t seed);

// Comparison of the fastest format with a scale, of a tensor or of rows, with the fastest other
// one.
struct ScaledSpeed {
  std::string scaled;  // "int8"
  std::string other;   // "bfloat16"
  double ratio = 1;    // time of `scaled` over that of `other`

  friend bool operator==(const ScaledSpeed&, const ScaledSpeed&) = default;
};

// Empty: the profile is of something else, or lacks one of both.
std::optional<ScaledSpeed> ScaledSpeedIn(const OperatorProfile& profile);

// A number format beside float32.
struct FormatTime {
  std::string format;  // "int8"
  double ratio = 1;    // time of the products over that in float32

  // Formats that take at least this share of the time in float32 do not pay: casts and what does
  // not run in them take more. Chosen, not measured.
  static constexpr double kPays = 0.95;

  [[nodiscard]] bool pays() const { return ratio < kPays; }

  friend bool operator==(const FormatTime&, const FormatTime&) = default;
};

// Formats other than float32, the fastest first; empty: the profile is of something else, or lacks
// float32.
std::vector<FormatTime> FormatTimesIn(const OperatorProfile& profile);

// Which formats pay by these, one sentence without a full stop; empty: nothing is known.
std::string WhatPays(std::span<const FormatTime> times);

}  // namespace halftone
