#include "kernels/onednn/matmul_blocks.h"

#include <algorithm>

#include "kernels/gemm/chunks.h"

namespace halftone {
namespace {

// Largest number of rows of a product that is cut by columns: up to there, reading B twice costs
// more than copying Y.
constexpr std::int64_t kFewRows = 64;
constexpr std::int64_t kRowMultiple = 16;
constexpr std::int64_t kColumnMultiple = 64;

}  // namespace

std::vector<MatMulBlock> MatMulBlocksOf(std::int64_t m, std::int64_t n, double flops) {
  const bool by_column = m <= kFewRows;
  const std::int64_t multiple = by_column ? kColumnMultiple : kRowMultiple;
  const std::int64_t extent = by_column ? n : m;
  const std::int64_t units = (extent + multiple - 1) / multiple;
  const std::int64_t worth = static_cast<std::int64_t>(flops) / GrainForFlops(1.0);
  const std::int64_t count =
      std::clamp<std::int64_t>(std::min<std::int64_t>(worth, MaxChunks()), 1, units);
  std::vector<MatMulBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = units * i / count * multiple;
    const std::int64_t size = std::min(units * (i + 1) / count * multiple, extent) - first;
    blocks.push_back(by_column ? MatMulBlock{0, m, first, size} : MatMulBlock{first, size, 0, n});
  }
  return blocks;
}

}  // namespace halftone
