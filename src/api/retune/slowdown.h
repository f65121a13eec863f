// Limit on how much longer a shipped configuration may take than when it was shipped
// (--max_slowdown).
//
// The speed-up of a configuration comes from pairs of runs, with float32 beside it, so it does not
// show that both became slow on a machine: another instruction set, a throttled CPU, kernels that
// all lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halftone {

// Default. The clock of one server CPU varies by about two between its base and its turbo frequency
// (Xeon Platinum 8480+: 2.0 and 3.8 GHz), which no configuration is to blame for.
inline constexpr double kMaxSlowdown = 2;

// A number of at least 1, by which the shipped latency is multiplied; "none": no limit. Error
// kUsage.
std::optional<double> ParseMaxSlowdown(std::string_view text);

// "2", "none": what ParseMaxSlowdown() reads.
std::string MaxSlowdownText(const std::optional<double>& most);

// Error kUsage: below 1, or no number.
void CheckMaxSlowdown(const std::optional<double>& most);

// "11.6 times as long".
std::string TimesAsLong(double slowdown);

}  // namespace halftone
