// Scales and zero points of 200 ranges, equal to the last bit to scripts/quantization_golden.py.
#include <gtest/gtest.h>

#include "src/quantization/glow_scheme.h"
#include "src/quantization/schemes.h"
#include "tests/support/golden_rows.h"

namespace halftone {
namespace {

using testing::GoldenRow;
using testing::GoldenRows;

ScaleAndZero HostScale(ValueRange range) {
  const ActivationScale scale = ActivationScaleOf(range);
  return {scale.scale, scale.zero_point};
}

// In the order of the columns.
constexpr struct {
  DType type;
  OnnxRuntimeOptions options;
} kOnnxRuntime[] = {
    {DType::kUInt8, {}},
    {DType::kUInt8, {.reduce_range = true}},
    {DType::kUInt8, {.symmetric = true}},
    {DType::kInt8, {}},
    {DType::kInt8, {.reduce_range = true}},
    {DType::kInt8, {.symmetric = true}},
    {DType::kInt8, {.symmetric = true, .reduce_range = true}},
};

constexpr DType kGlowTypes[] = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32};

TEST(SchemesGoldenTest, ScalesOf200Ranges) {
  std::vector<GoldenRow> rows = GoldenRows("schemes.txt");
  ASSERT_EQ(rows.size(), 200U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GoldenRow& row = rows[i];
    const float low = row.Bits32();
    const float high = row.Bits32();
    SCOPED_TRACE(::testing::Message() << "range " << i << ": " << low << " to " << high);
    const auto expect = [&](const ScaleAndZero& found, std::string_view rule) {
      const float scale = row.Bits32();
      EXPECT_EQ(found, (ScaleAndZero{scale, static_cast<std::int32_t>(row.Integer())})) << rule;
    };
    expect(HostScale({low, high}), "host");
    for (const auto& [type, options] : kOnnxRuntime) {
      expect(OnnxRuntimeScale(low, high, type, options), "ONNX Runtime");
    }
    for (const DType type : kGlowTypes) {
      for (const auto& schema : kQuantizationSchemas) {
        expect(GlowScale(low, high, schema.value, type), schema.name);
      }
    }
    EXPECT_TRUE(row.AtEnd());
  }
}

TEST(SchemesGoldenTest, EncodingsOf200Ranges) {
  std::vector<GoldenRow> rows = GoldenRows("encodings.txt");
  ASSERT_EQ(rows.size(), 200U);
  for (GoldenRow& row : rows) {
    const float low = row.Bits32();
    const float high = row.Bits32();
    SCOPED_TRACE(::testing::Message() << low << " to " << high);
    for (const AimetSymmetry symmetry :
         {AimetSymmetry::kAsymmetric, AimetSymmetry::kSymmetric, AimetSymmetry::kStrictSymmetric,
          AimetSymmetry::kUnsignedSymmetric}) {
      const AimetEncoding found = AimetEncodingOf({low, high}, 8, symmetry);
      EXPECT_EQ(found.delta, row.Bits64());
      EXPECT_EQ(found.offset, row.Integer());
      EXPECT_EQ(found.min, row.Bits64());
      EXPECT_EQ(found.max, row.Bits64());
    }
    EXPECT_TRUE(row.AtEnd());
  }
}

}  // namespace
}  // namespace halftone
