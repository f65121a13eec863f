// Bounds of sizes that come from outside (options, files, programs that call) and that the size of
// the input does not bound. Each is checked before memory or time is spent on the size.
// docs/reference/models.md has all bounds, including those beside their parsers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halftone/ranges.h"
#include "src/base/numbers.h"

namespace halftone::limits {

// Concurrent runs of a session for which memory is made in advance. Each has a thread pool of its
// own, so more runs than a server has threads (thousands) are a mistake.
inline constexpr std::size_t kMostReservedRuns = 4096;

// Extent of one axis: sums of extents cannot overflow (Shape refuses more, too).
inline constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;

// Seconds that an option may ask for: a year, of which clocks in nanoseconds hold 292.
inline constexpr double kMostSeconds = 366.0 * 86400;

// Bytes of a text or blob of a bank, and of a row: the largest that are written, sensitivities and
// records of calibrations of large networks, have some 10^7.
inline constexpr int kMostBankValueBytes = 256 << 20;

// Rounds of a fleet, merged banks of a kind: folders with numbers as names. A folder of a greater
// number was not made by halftone.
inline constexpr int kMostRounds = 1'000'000;

// Bytes of a regular expression: the compiler of the standard library calls itself for each
// parenthesis, the matcher for each character of a line.
inline constexpr std::size_t kMostExpressionBytes = 1024;

// Dots of a name in a file of --config; CLI11 copies all parts of a name for each of them.
inline constexpr std::size_t kMostNameParts = 8;

// Bytes that a byte of a deflated member of a zip archive may unpack to (zlib's manual: 1032:1).
inline constexpr std::uint64_t kMostDeflateRatio = 1032;

// Pixels that a byte of a PNG file may unpack to, of one bit each. A JPEG file has a bit for a
// block of 8 x 8 at least, which is fewer.
inline constexpr std::uint64_t kMostPixelsOfAByte = 8 * kMostDeflateRatio;

inline constexpr WholeRange kCpuRange = {1, 65536};  // of a machine of a fleet
inline constexpr WholeRange kExtentRange = {0, kMostExtent};
inline constexpr WholeRange kPositiveExtentRange = {1, kMostExtent};
inline constexpr RealRange kSecondsRange = {0, kMostSeconds};
inline constexpr RealRange kPositiveSecondsRange = {0, kMostSeconds, true};
inline constexpr RealRange kTimeoutRange = {1, kMostSeconds};
inline constexpr RealRange kShareRange = {.least = 0, .most = 1, .share = true};
inline constexpr RealRange kWeightRange = {0, 1e9, true};  // of one input shape among others
inline constexpr RealRange kToleranceRange = {
    .least = 0, .most = 1e30, .share = true};          // still finite in float32
inline constexpr RealRange kSlowdownRange = {1, 1e9};  // latency now / then

}  // namespace halftone::limits
