// Cut of a matrix product into blocks, one oneDNN call each.
#pragma once

#include <cstdint>
#include <vector>

namespace halftone {

// A block of Y that one oneDNN call computes.
struct MatMulBlock {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
};

// Blocks of a result [m, n] whose product takes about `flops` operations: blocks of columns for up
// to 64 rows, else blocks of rows. They depend only on the problem and the machine, so results do
// not depend on the number of threads.
std::vector<MatMulBlock> MatMulBlocksOf(std::int64_t m, std::int64_t n, double flops);

}  // namespace halftone
