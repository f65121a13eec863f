// Limit on the slowdown of a shipped configuration: its new latency over its latency when it was
// shipped (--max_slowdown).
//
// The limit is needed because a speed-up is the ratio of float32 to the configuration in the same
// run. It does not change if both become slower, as with another instruction set, on a throttled
// CPU, or with slower kernels throughout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halftone {

// Default limit. It leaves room for the clock of a CPU, whose turbo frequency can be about twice
// the base frequency (Xeon Platinum 8480+: 3.8 and 2.0 GHz).
inline constexpr double kMaxSlowdown = 2;

// Parses a number of limits::kSlowdownRange (at least 1), or "none" for no limit (empty). Error
// kUsage.
std::optional<double> ParseMaxSlowdown(std::string_view text);

// Inverse of ParseMaxSlowdown(): "2", "none".
std::string MaxSlowdownText(const std::optional<double>& most);

// Error kUsage: outside limits::kSlowdownRange.
void CheckMaxSlowdown(const std::optional<double>& most);

// "11.6 times as long".
std::string TimesAsLong(double slowdown);

}  // namespace halftone
