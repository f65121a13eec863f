// Each register tile of the list, by itself: every number of rows, columns around its vectors,
// blocks that add up, one row through several panels. What families make of tiles has tests of its
// own.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "kernels/cpu_isa.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/pack_panels.h"
#include "kernels/tile/tile_kernel.h"
#include "kernels/tile/tile_rows.h"
#include "src/base/rng.h"
#include "src/ir/tensor.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone {
namespace {

constexpr float kUntouched = -12345.0F;

struct TileCase {
  const TileKernel* tile;
  int rows;
  int columns;
  std::int64_t k;
};

DType DTypeOf(const TileKernel& tile) {
  switch (tile.storage) {
    case TileStorage::kFloat32:
    case TileStorage::kFloat32Parts:
      return DType::kFloat32;
    case TileStorage::kFloat16:
    case TileStorage::kFloat16Pairs:
      return DType::kFloat16;
    default:
      return DType::kBFloat16;
  }
}

// Rows of A as the tile reads them, `lda` words apart.
std::vector<std::byte> WordsOf(const TileKernel& tile, const Tensor& a, std::int64_t lda) {
  const std::int64_t rows = a.shape()[0];
  const std::int64_t k = a.shape()[1];
  std::vector<std::byte> words(static_cast<std::size_t>(rows * lda * 4));
  const auto row_bytes = k * static_cast<std::int64_t>(SizeOf(a.dtype()));
  for (std::int64_t i = 0; i < rows; ++i) {
    std::byte* to = words.data() + i * lda * 4;
    const std::byte* from = a.data() + i * row_bytes;
    if (tile.in_parts()) {
      SplitRows({.data = from, .rows = 1, .count = k}, tile.parts, 0, to);
    } else if (tile.pairs()) {
      NarrowRowTo(tile.pair_dtype(), a.dtype(), from, to, k);
    } else {
      WidenRow(a.dtype(), from, reinterpret_cast<float*>(to), k);
    }
  }
  return words;
}

// C of a call in `blocks` parts along k that add up, room for a whole tile.
std::vector<float> SumsOf(const TileCase& c, const Tensor& a, const Tensor& b, int blocks) {
  const TileKernel& tile = *c.tile;
  const PanelLayout layout{.tile = &tile, .k = c.k, .n = c.columns};
  const std::int64_t lda = TileRowStride(layout.steps() * tile.step_words());
  const std::vector<std::byte> words = WordsOf(tile, a, lda);
  std::vector<std::byte> panels(static_cast<std::size_t>(layout.size_bytes()));
  PackPanels({.dtype = b.dtype(), .data = b.data(), .step_stride = c.columns}, layout, 0,
             layout.panels(), panels.data());
  std::vector<float> sums(static_cast<std::size_t>(tile.elements()), kUntouched);
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t first = layout.steps() * block / blocks;
    tile.run({.rows = c.rows,
              .columns = c.columns,
              .steps = layout.steps() * (block + 1) / blocks - first,
              .a = words.data() + first * tile.step_words() * 4,
              .lda = lda,
              .b = panels.data() + first * tile.step_bytes(),
              .panel_stride = layout.panel_bytes(),
              .c = sums.data(),
              .c_stride = tile.columns,
              .accumulate = block > 0});
  }
  return sums;
}

// |C - exact| <= g(k + blocks) sum |a b|, and what the contract of the tile adds to it.
void ExpectWithinBound(const TileCase& c) {
  Rng rng(static_cast<std::uint64_t>(c.rows * 10000 + c.columns * 100 + c.k));
  const DType dtype = DTypeOf(*c.tile);
  const Tensor a = testing::RandomTensor({dtype, {c.rows, c.k}}, rng);
  const Tensor b = testing::RandomTensor({dtype, {c.k, c.columns}}, rng);
  for (const int blocks : {1, 2}) {
    const std::vector<float> sums = SumsOf(c, a, b, blocks);
    const double roundings = static_cast<double>(c.k + blocks + 1) * 0x1p-24;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        double exact = 0;
        double magnitude = 0;
        for (std::int64_t k = 0; k < c.k; ++k) {
          const double product =
              DoubleAt(dtype, a.data(), i * c.k + k) * DoubleAt(dtype, b.data(), k * c.columns + j);
          exact += product;
          magnitude += std::abs(product);
        }
        const ProductError contract = ContractOf(*c.tile, dtype);
        const double got = sums[static_cast<std::size_t>(i * c.tile->columns + j)];
        EXPECT_NEAR(got, exact,
                    contract.Relative(roundings / (1 - roundings)) * magnitude +
                        contract.Absolute(static_cast<double>(c.k)))
            << c.tile->name << " storage " << static_cast<int>(c.tile->storage) << ": " << c.rows
            << " x " << c.columns << ", k " << c.k << ", element " << i << ", " << j;
      }
    }
  }
}

std::vector<const TileKernel*> TilesOfThisCpu() {
  const IsaMask trapped = testing::IsaOfTrapRun();
  std::vector<const TileKernel*> tiles;
  for (const TileKernel& tile : kTileKernels) {
    const bool is_wanted = trapped == kIsaAny || (tile.isa & trapped) != 0;
    if ((tile.isa & DetectIsa()) == tile.isa && is_wanted) {
      tiles.push_back(&tile);
    }
  }
  return tiles;
}

TEST(TileTest, EveryNumberOfRows) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    for (int rows = 1; rows <= tile->rows; ++rows) {
      ExpectWithinBound({tile, rows, tile->columns, 37});
    }
  }
}

TEST(TileTest, EveryNumberOfColumns) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    for (int columns = 1; columns <= tile->columns; ++columns) {
      ExpectWithinBound({tile, std::min(3, tile->rows), columns, 9});
    }
  }
}

TEST(TileTest, StepsAroundWhatLoopsUnroll) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65, 130}) {
      ExpectWithinBound({tile, tile->rows, tile->columns, k});
      ExpectWithinBound({tile, 1, 5, k});
    }
  }
}

// As many panels as the tile has rows; their columns stand one after the other in C.
TEST(TileTest, OneRowGoesThroughPanels) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    for (const int columns :
         {tile->columns + 1, 2 * tile->columns, tile->elements() - 1, tile->elements()}) {
      ExpectWithinBound({tile, 1, columns, 33});
    }
  }
}

// Rows behind those of the call belong to others.
TEST(TileTest, LeavesOtherRowsAlone) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    Rng rng(7);
    const DType dtype = DTypeOf(*tile);
    const TileCase c{tile, 2, tile->columns, 20};
    const std::vector<float> sums =
        SumsOf(c, testing::RandomTensor({dtype, {2, c.k}}, rng),
               testing::RandomTensor({dtype, {c.k, c.columns}}, rng), 1);
    for (std::size_t i = 2 * static_cast<std::size_t>(tile->columns); i < sums.size(); ++i) {
      ASSERT_EQ(sums[i], kUntouched) << tile->name << " " << i;
    }
  }
}

// The sums of both in every element that the call has.
void ExpectSameBits(const TileKernel& tile, const TileKernel& emulated, const Tensor& a,
                    const Tensor& b) {
  const int rows = static_cast<int>(a.shape()[0]);
  const std::int64_t k = a.shape()[1];
  const int columns = static_cast<int>(b.shape()[1]);
  const std::vector<float> got = SumsOf({&tile, rows, columns, k}, a, b, 2);
  const std::vector<float> want = SumsOf({&emulated, rows, columns, k}, a, b, 2);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(std::int64_t{i} * tile.columns + j);
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(got[at]) == std::bit_cast<std::uint32_t>(want[at]) ||
                  (std::isnan(got[at]) && std::isnan(want[at])))
          << tile.name << " " << rows << " x " << columns << ", k " << k << ": " << got[at]
          << ", emulated " << want[at];
    }
  }
}

// Cancelling sums and large elements, so that roundings and infinities show.
TEST(TileTest, Float16SumsHaveTheBitsOfTheirEmulation) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    if (tile->storage != TileStorage::kFloat16Pairs || tile->emulates) {
      continue;
    }
    Rng rng(11);
    for (const std::int64_t k : {1, 31, 64, 255, 258, 700}) {
      for (const int rows : {1, 2, 3, 12}) {
        for (const double largest : {1.0, 100.0}) {
          const int columns = k == 64 ? 16 : 31;
          ExpectSameBits(
              *tile, TileNamed("fp16_emulated"),
              testing::RandomTensor({DType::kFloat16, {rows, k}}, rng, -largest, largest),
              testing::RandomTensor({DType::kFloat16, {k, columns}}, rng, -largest, largest));
        }
      }
    }
  }
}

TEST(TileTest, SumsOfPartsHaveTheBitsOfTheirEmulation) {
  for (const TileKernel* tile : TilesOfThisCpu()) {
    if (!tile->in_parts() || tile->emulates) {
      continue;
    }
    const TileKernel& emulated =
        tile->parts == 2 ? TileNamed("amx_parts2_emulated") : TileNamed("amx_parts3_emulated");
    Rng rng(12);
    for (const std::int64_t k : {1, 31, 32, 65, 300}) {
      for (const int rows : {1, 15, 16, 17, 32}) {
        for (const int columns : {1, 16, 31, 32}) {
          ExpectSameBits(*tile, emulated, testing::RandomTensor({DType::kFloat32, {rows, k}}, rng),
                         testing::RandomTensor({DType::kFloat32, {k, columns}}, rng));
        }
      }
    }
  }
}

}  // namespace
}  // namespace halftone
