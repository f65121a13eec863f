// Floats in bfloat16 parts: what each part holds, special values, and the order in rows and panels.
#include "kernels/tile/float_parts.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/tile/pack_panels.h"
#include "kernels/tile/tile_kernel.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The three parts of each value.
std::vector<std::array<float, 3>> PartsOf(std::vector<float> values) {
  const std::size_t count = values.size();
  values.resize((count + 15) / 16 * 16);
  std::vector<BFloat16> parts[3];
  BFloat16* targets[3];
  for (int p = 0; p < 3; ++p) {
    parts[p].resize(values.size());
    targets[p] = parts[p].data();
  }
  SplitFloats(values.data(), static_cast<std::int64_t>(values.size()), targets);
  std::vector<std::array<float, 3>> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({parts[0][i].ToFloat(), parts[1][i].ToFloat(), parts[2][i].ToFloat()});
  }
  return result;
}

TEST(FloatPartsTest, ThreePartsAreTheFloat) {
  Rng rng(20261125);
  std::vector<float> values = {0.0F, -0.0F, 1.0F, -1.0F, 1 + 0x1p-23F, 1 - 0x1p-24F, 3.0e38F};
  for (int i = 0; i < 20000; ++i) {
    // Exponents at which the last part is not below 2^-126.
    values.push_back(
        std::ldexp(static_cast<float>(rng.Normal()), static_cast<int>(rng.Below(200)) - 90));
  }
  const auto parts = PartsOf(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double a = values[i];
    const double first = parts[i][0];
    const double second = first + parts[i][1];
    EXPECT_LE(std::abs(a - first), 0x1p-8 * std::abs(a)) << a;
    EXPECT_LE(std::abs(a - second), 0x1p-16 * std::abs(a)) << a;
    EXPECT_EQ(second + parts[i][2], a);
  }
}

TEST(FloatPartsTest, TheLargestFloatsStayFinite) {
  for (const float value :
       {std::numeric_limits<float>::max(), 3.395e38F, -std::numeric_limits<float>::max()}) {
    const auto parts = PartsOf({value})[0];
    EXPECT_TRUE(std::isfinite(parts[0])) << value;
    EXPECT_LE(std::abs(double{value} - parts[0]), 0x1p-7 * std::abs(double{value}));
    EXPECT_EQ(double{parts[0]} + parts[1] + parts[2], value);
  }
}

TEST(FloatPartsTest, NonFiniteValuesAreTheFirstPart) {
  const auto parts = PartsOf({kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                              std::bit_cast<float>(0x7F800001U), std::bit_cast<float>(~0U)});
  EXPECT_EQ(parts[0][0], kInfinity);
  EXPECT_EQ(parts[1][0], -kInfinity);
  for (std::size_t i = 2; i < parts.size(); ++i) {
    EXPECT_TRUE(std::isnan(parts[i][0])) << i;
  }
  for (const auto& part : parts) {
    EXPECT_EQ(part[1], 0.0F);
    EXPECT_EQ(part[2], 0.0F);
  }
}

// Element (row, k) of part `part` in rows of SplitRows().
float PartAt(const std::byte* row, std::int64_t k, int part, int parts) {
  const auto* elements = reinterpret_cast<const BFloat16*>(row);
  return elements[(k / kPartChunk * parts + part) * kPartChunk + k % kPartChunk].ToFloat();
}

TEST(FloatPartsTest, RowsAreChunksOfParts) {
  constexpr int kRows = 3;
  Rng rng(7);
  for (const std::int64_t count : {1, 31, 32, 33, 64, 70}) {
    const std::int64_t chunks = (count + kPartChunk - 1) / kPartChunk;
    // The matrix as it stands, then transposed.
    std::vector<float> matrix(static_cast<std::size_t>(kRows * count));
    for (float& value : matrix) {
      value = static_cast<float>(rng.Normal());
    }
    for (const bool transposed : {false, true}) {
      for (const int parts : {2, 3}) {
        const std::int64_t pitch = chunks * kPartChunk * parts * 2;
        std::vector<std::byte> rows(static_cast<std::size_t>(kRows * pitch), std::byte{0x7F});
        SplitRows({.data = reinterpret_cast<const std::byte*>(matrix.data()),
                   .row_stride = transposed ? 1 : count,
                   .step_stride = transposed ? kRows : 1,
                   .rows = kRows,
                   .count = count},
                  parts, pitch, rows.data());
        for (std::int64_t i = 0; i < kRows; ++i) {
          for (std::int64_t k = 0; k < chunks * kPartChunk; ++k) {
            const std::int64_t at = transposed ? k * kRows + i : i * count + k;
            const float value = k < count ? matrix[static_cast<std::size_t>(at)] : 0.0F;
            const auto expected = PartsOf({value})[0];
            for (int part = 0; part < parts; ++part) {
              EXPECT_EQ(PartAt(rows.data() + i * pitch, k, part, parts), expected[part])
                  << count << ": row " << i << ", element " << k << ", part " << part;
            }
          }
        }
      }
    }
  }
}

TEST(FloatPartsTest, PanelsArePairsOfRowsOfParts) {
  Rng rng(8);
  for (const TileKernel& tile : kTileKernels) {
    if (!tile.in_parts()) {
      continue;
    }
    constexpr std::int64_t kK = 37;
    const std::int64_t n = tile.columns + 3;  // a panel, and the begin of another
    std::vector<float> b(static_cast<std::size_t>(kK * n));
    for (float& value : b) {
      value = static_cast<float>(rng.Normal());
    }
    for (const bool transposed : {false, true}) {
      const PanelLayout layout{.tile = &tile, .k = kK, .n = n};
      ASSERT_EQ(layout.steps(), 2);
      std::vector<std::byte> panels(static_cast<std::size_t>(layout.size_bytes()), std::byte{0x7F});
      PackPanels({.dtype = DType::kFloat32,
                  .data = b.data(),
                  .step_stride = transposed ? 1 : n,
                  .column_stride = transposed ? kK : 1},
                 layout, 0, layout.panels(), panels.data());
      const auto* elements = reinterpret_cast<const BFloat16*>(panels.data());
      std::size_t at = 0;
      for (std::int64_t panel = 0; panel < 2; ++panel) {
        for (std::int64_t step = 0; step < 2; ++step) {
          for (int part = 0; part < tile.parts; ++part) {
            for (std::int64_t e = 0; e < kPartChunk * tile.columns; ++e, ++at) {
              const std::int64_t k = step * kPartChunk + e / (2 * tile.columns) * 2 + e % 2;
              const std::int64_t j = panel * tile.columns + e % (2 * tile.columns) / 2;
              const std::int64_t source = transposed ? j * kK + k : k * n + j;
              const float value = k < kK && j < n ? b[static_cast<std::size_t>(source)] : 0.0F;
              ASSERT_EQ(elements[at].ToFloat(), PartsOf({value})[0][static_cast<std::size_t>(part)])
                  << tile.name << ": element " << k << ", " << j << ", part " << part;
            }
          }
        }
      }
      EXPECT_EQ(at * 2, panels.size());
    }
  }
}

}  // namespace
}  // namespace halftone
