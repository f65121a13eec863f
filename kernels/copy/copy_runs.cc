#include "kernels/copy/copy_runs.h"

#include <cstring>

#include "kernels/copy/copy_bytes.h"

namespace halftone {
namespace {

// Copies of a size known to the compiler: one load and one store. A call of memcpy takes ten times
// as long.
template <std::size_t kBytes>
void CopyByOne(const ByteRuns& runs) {
  for (std::int64_t i = 0; i < runs.count; ++i) {
    std::memcpy(runs.target + i * runs.target_stride, runs.source + i * runs.source_stride, kBytes);
  }
}

// kPiece to 2 kPiece bytes: the first and the last of them, which may overlap.
template <std::int64_t kPiece>
void CopyByTwo(const ByteRuns& runs) {
  const std::int64_t last = runs.bytes - kPiece;
  for (std::int64_t i = 0; i < runs.count; ++i) {
    const std::byte* const source = runs.source + i * runs.source_stride;
    std::byte* const target = runs.target + i * runs.target_stride;
    std::memcpy(target, source, kPiece);
    std::memcpy(target + last, source + last, kPiece);
  }
}

void CopyLong(const ByteRuns& runs) {
  for (std::int64_t i = 0; i < runs.count; ++i) {
    CopyBytes(runs.target + i * runs.target_stride, runs.source + i * runs.source_stride,
              runs.bytes);
  }
}

struct Row {
  std::int64_t most_bytes;
  void (*copy)(const ByteRuns& runs);
};

// Sorted: the first that takes as many bytes.
constexpr Row kRows[] = {
    {1, CopyByOne<1>},    {2, CopyByOne<2>},   {3, CopyByTwo<2>},   {4, CopyByOne<4>},
    {7, CopyByTwo<4>},    {8, CopyByOne<8>},   {15, CopyByTwo<8>},  {16, CopyByOne<16>},
    {31, CopyByTwo<16>},  {32, CopyByOne<32>}, {63, CopyByTwo<32>}, {64, CopyByOne<64>},
    {128, CopyByTwo<64>},
};

}  // namespace

void CopyRuns(const ByteRuns& runs) noexcept {
  for (const Row& row : kRows) {
    if (runs.bytes <= row.most_bytes) {
      if (runs.bytes > 0) {
        row.copy(runs);
      }
      return;
    }
  }
  CopyLong(runs);
}

}  // namespace halftone
