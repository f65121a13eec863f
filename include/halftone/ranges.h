// Ranges of the numbers that callers give, and the check of a number against its range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halftone {

// Whole numbers from `least` to `most`.
struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// Finite numbers from `least` to `most`.
struct RealRange {
  double least = 0;
  double most = 0;
  bool above = false;  // `least` itself is refused
  bool share = false;  // a share or ratio, which users write in percent too
};

// "a whole number from 0 to 1024", "a number above 0, at most 1000"
std::string RangeText(const WholeRange& range);
std::string RangeText(const RealRange& range);

// Error kUsage "NAME=VALUE: expected a whole number from 0 to 1024" for a value outside of the
// range, including nan and inf.
void RequireNumber(std::string_view name, std::int64_t value, const WholeRange& range);
void RequireNumber(std::string_view name, double value, const RealRange& range);

namespace limits {

// Threads of a run: oneTBB keeps a slot of memory and starts a stack for each. More than any
// machine with AVX has cores; 100,000 ended the process.
inline constexpr std::int64_t kMostThreads = 1024;

// Samples, sequences, steps, plans, lines, days: counts whose products still fit 64 bits.
inline constexpr std::int64_t kMostCount = 1'000'000'000;

// Extents of a tensor of a caller; NumPy's own bound is 64 (NPY_MAXDIMS of NumPy 2).
inline constexpr std::size_t kMostRank = 64;

inline constexpr WholeRange kThreadRange = {0, kMostThreads};
inline constexpr WholeRange kSeedRange = {0, INT64_MAX};
inline constexpr WholeRange kCountRange = {0, kMostCount};  // 0: all
inline constexpr WholeRange kPositiveCountRange = {1, kMostCount};
inline constexpr WholeRange kByteRange = {0, std::int64_t{1} << 60};  // 0: no limit
inline constexpr RealRange kOperatorBudgetRange = {0, 86400};  // seconds of one precision mode
inline constexpr RealRange kProgramSecondsRange = {0, 86400, true};  // of one run of a program
inline constexpr RealRange kHeldoutShareRange = {.least = 0, .most = 0.99, .share = true};
inline constexpr RealRange kLatencyBudgetRange = {0, 1000, true};  // seconds

}  // namespace limits

}  // namespace halftone
