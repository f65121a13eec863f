// Ranges of numbers that callers give, and checks of numbers against them.
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
  bool above = false;  // true: `least` itself is out of the range
  bool share = false;  // true: a share or ratio, which users may also give in percent
};

// Returns "a whole number from 0 to 1024", "a number above 0, at most 1000".
std::string RangeText(const WholeRange& range);
std::string RangeText(const RealRange& range);

// Throws Error kUsage, "NAME=VALUE: expected a whole number from 0 to 1024", if the value is out of
// the range or is no finite number.
void RequireNumber(std::string_view name, std::int64_t value, const WholeRange& range);
void RequireNumber(std::string_view name, double value, const RealRange& range);

namespace limits {

// Most threads of a run, more than any machine with AVX has cores. oneTBB needs memory for each
// thread; 100,000 threads ended the process.
inline constexpr std::int64_t kMostThreads = 1024;

// Most samples, sequences, steps, plans, lines or days. Products of two such counts fit in 64 bits.
inline constexpr std::int64_t kMostCount = 1'000'000'000;

// Most extents of a tensor that a caller gives, as in NumPy 2 (NPY_MAXDIMS).
inline constexpr std::size_t kMostRank = 64;

inline constexpr WholeRange kThreadRange = {0, kMostThreads};
inline constexpr WholeRange kSeedRange = {0, INT64_MAX};
inline constexpr WholeRange kCountRange = {0, kMostCount};  // 0: all
inline constexpr WholeRange kPositiveCountRange = {1, kMostCount};
inline constexpr WholeRange kByteRange = {0, std::int64_t{1} << 60};  // 0: no limit
inline constexpr RealRange kOperatorBudgetRange = {0, 86400};  // seconds for one precision mode
inline constexpr RealRange kProgramSecondsRange = {0, 86400, true};  // for one run of a program
inline constexpr RealRange kHeldoutShareRange = {.least = 0, .most = 0.99, .share = true};
inline constexpr RealRange kLatencyBudgetRange = {0, 1000, true};  // seconds

}  // namespace limits

}  // namespace halftone
