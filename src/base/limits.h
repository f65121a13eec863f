// Bounds on numbers that come from outside: from options, files and callers. They bound sizes that
// a short input could make arbitrarily large, and are checked before memory or time is spent.
// docs/reference/models.md lists all bounds, including those that are beside their parsers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halftone/ranges.h"
#include "src/base/numbers.h"

namespace halftone::limits {

// Most concurrent runs in Session::Reserve(). Each run has its own thread pool, so a number beyond
// the threads of any server is a mistake.
inline constexpr std::size_t kMostReservedRuns = 4096;

// Greatest extent of an axis, also in Shape: sums of extents fit in 64 bits.
inline constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;

// Most seconds of an option: a year. A 64-bit clock in nanoseconds holds 292 years.
inline constexpr double kMostSeconds = 366.0 * 86400;

// Most bytes of a value or row of a bank. The largest values that are written, sensitivities and
// calibration records of large networks, have some 10^7 bytes.
inline constexpr int kMostBankValueBytes = 256 << 20;

// Most rounds of a fleet, and most merged banks of a kind of machine. Their folders have numbers as
// names; halftone makes no greater number.
inline constexpr int kMostRounds = 1'000'000;

// Most bytes of a regular expression. In the standard library, the compiler recurses for each
// parenthesis and the matcher for each character of a line, so a long expression overflows the
// stack.
inline constexpr std::size_t kMostExpressionBytes = 1024;

// Most dots of a name in a --config file. For each dot, CLI11 copies all parts of the name.
inline constexpr std::size_t kMostNameParts = 8;

// Greatest ratio of unpacked to packed bytes in a deflated zip member (zlib's manual: 1032:1).
inline constexpr std::uint64_t kMostDeflateRatio = 1032;

// Most pixels for each byte of a PNG file: pixels of one bit, deflated. A JPEG file has fewer: at
// least one bit for each block of 8 x 8 pixels.
inline constexpr std::uint64_t kMostPixelsOfAByte = 8 * kMostDeflateRatio;

inline constexpr WholeRange kCpuRange = {1, 65536};  // CPUs of a machine in a fleet
inline constexpr WholeRange kExtentRange = {0, kMostExtent};
inline constexpr WholeRange kPositiveExtentRange = {1, kMostExtent};
inline constexpr RealRange kSecondsRange = {0, kMostSeconds};
inline constexpr RealRange kPositiveSecondsRange = {0, kMostSeconds, true};
inline constexpr RealRange kTimeoutRange = {1, kMostSeconds};
inline constexpr RealRange kShareRange = {.least = 0, .most = 1, .share = true};
inline constexpr RealRange kWeightRange = {0, 1e9, true};  // frequency of an input shape
inline constexpr RealRange kToleranceRange = {
    .least = 0, .most = 1e30, .share = true};          // finite in float32
inline constexpr RealRange kSlowdownRange = {1, 1e9};  // new latency / old latency

}  // namespace halftone::limits
