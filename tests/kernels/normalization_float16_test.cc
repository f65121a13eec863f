// Layer- and RMSNormalization in float16 arithmetic, within the bounds of
// kernels/normalization/fp16_rows.h.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cpu_isa.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::EntryNamed;
using testing::ExactResult;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;

constexpr double kW = 0x1p-11;

struct RowCase {
  const char* name;
  std::int64_t length;
  double mean;
  double spread;
  float epsilon = 1e-5F;
  bool has_bias = true;
};

const RowCase kRowCases[] = {
    {"One", 1, 2, 1},
    {"BelowVector", 31, 0, 3},
    {"Vector", 32, 0, 3},
    {"AboveVector", 33, 1, 3},
    {"FourVectors", 128, 1, 3},
    {"FourVectorsAndThree", 131, 1, 3, 1e-5F, false},
    {"Hidden768", 768, 0.3, 2},
    {"Long", 5003, -0.5, 1},
    {"MeanAboveSpread", 300, 12, 5},
    {"MeanFarAboveSpread", 300, 60, 0.5},
    {"Tiny", 256, 0, 1e-4},
    {"TinyWithLargeEpsilon", 256, 0, 1e-2, 1e-3F},
    {"LargeSums", 256, 0, 2000},
    {"EpsilonBelowFloat16", 64, 0, 1, 1e-12F},
};

class Float16RowTest : public ::testing::TestWithParam<RowCase> {
 protected:
  void SetUp() override {
    if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
      GTEST_SKIP() << "needs avx512_fp16";
    }
  }
};

KernelCall CallOf(OpKind op, const RowCase& c) {
  Rng rng(41);
  KernelCall call{.op = op};
  call.attributes.Set("axis", std::int64_t{-1});
  call.attributes.Set("epsilon", c.epsilon);
  const TensorType row{DType::kFloat16, {c.length}};
  call.inputs = {
      RandomTensor({DType::kFloat16, {5, c.length}}, rng, c.mean - c.spread, c.mean + c.spread),
      RandomTensor(row, rng, -2, 2)};
  if (op == OpKind::kLayerNormalization && c.has_bias) {
    call.inputs.emplace_back(RandomTensor(row, rng, -2, 2));
  }
  return call;
}

TEST_P(Float16RowTest, LayerStaysWithinBound) {
  const RowCase& c = GetParam();
  const KernelCall call = CallOf(OpKind::kLayerNormalization, c);
  const std::vector<double> x = DoublesOf(*call.inputs[0]);
  const auto bound = [&](std::int64_t i, double y) {
    const std::int64_t first = i / c.length * c.length;
    double mean = 0;
    double square = 0;
    for (std::int64_t k = first; k < first + c.length; ++k) {
      const double value = x[static_cast<std::size_t>(k)];
      mean += value / static_cast<double>(c.length);
      square += value * value / static_cast<double>(c.length);
    }
    const double v = std::max(0.0, square - mean * mean) + static_cast<double>(c.epsilon);
    const double s = std::abs(DoubleAt(DType::kFloat16, call.inputs[1]->data(), i - first));
    const double b =
        call.inputs.size() > 2 ? DoubleAt(DType::kFloat16, call.inputs[2]->data(), i - first) : 0;
    const double far = std::abs(y - b);
    return 5 * kW * (1 + square / v) * (far + s) + kW * std::abs(y) + 0x1p-26 / v * far +
           0x1p-24 * (1 + s);
  };
  const KernelEntry& entry = EntryNamed("normalization.layer.fast.avx512_fp16");
  EXPECT_TRUE(AllWithin(RunEntry(entry, call)[0], ExactResult(call)[0], bound));
}

TEST_P(Float16RowTest, RmsStaysWithinBound) {
  const RowCase& c = GetParam();
  const KernelCall call = CallOf(OpKind::kRmsNormalization, c);
  const std::vector<double> x = DoublesOf(*call.inputs[0]);
  const auto bound = [&](std::int64_t i, double y) {
    const std::int64_t first = i / c.length * c.length;
    double square = 0;
    for (std::int64_t k = first; k < first + c.length; ++k) {
      const double value = x[static_cast<std::size_t>(k)];
      square += value * value / static_cast<double>(c.length);
    }
    const double s = std::abs(DoubleAt(DType::kFloat16, call.inputs[1]->data(), i - first));
    return (6 * kW + 0x1p-26 / (square + static_cast<double>(c.epsilon))) * std::abs(y) +
           0x1p-24 * (1 + s);
  };
  const KernelEntry& entry = EntryNamed("normalization.rms.fast.avx512_fp16");
  EXPECT_TRUE(AllWithin(RunEntry(entry, call)[0], ExactResult(call)[0], bound));
}

INSTANTIATE_TEST_SUITE_P(Rows, Float16RowTest, ::testing::ValuesIn(kRowCases),
                         [](const auto& test) { return test.param.name; });

// Sums that overflow, NaN and infinity: the bits of the loop in float32, row by row.
TEST(Float16RowSpecialTest, OtherRowsAreThoseOfFloat32) {
  if ((DetectIsa() & kIsaAvx512Fp16) == 0) {
    GTEST_SKIP() << "needs avx512_fp16";
  }
  Rng rng(42);
  constexpr std::int64_t kLength = 70;
  for (const double special : {30000.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    KernelCall call{.op = OpKind::kLayerNormalization};
    call.attributes.Set("axis", std::int64_t{-1});
    call.inputs = {RandomTensor({DType::kFloat16, {2, kLength}}, rng, -2, 2),
                   RandomTensor({DType::kFloat16, {kLength}}, rng, -2, 2)};
    StoreDouble(DType::kFloat16, call.inputs[0]->mutable_data(), kLength + 3, special);
    const Tensor got = RunEntry(EntryNamed("normalization.layer.fast.avx512_fp16"), call)[0];
    const Tensor other = RunEntry(EntryNamed("normalization.layer.fast"), call)[0];
    const auto second_row = [](const Tensor& y) {
      Tensor row(DType::kFloat16, {kLength});
      std::memcpy(row.mutable_data(), y.data() + kLength * 2, kLength * 2);
      return row;
    };
    EXPECT_TRUE(AllEqual(second_row(got), second_row(other))) << special;
    EXPECT_TRUE(std::isfinite(DoubleAt(DType::kFloat16, got.data(), 0)));
  }
}

}  // namespace
}  // namespace halftone
