// DynamicMatMul: every kernel gives the bits of the reference, and that is within the bound that
// kernels/quantized/dynamic_product.h derives for exact arithmetic on the float operands.
#include "kernels/quantized/dynamic_product.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::EntriesFor;
using testing::EntryNamed;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;

constexpr DType kF32 = DType::kFloat32;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;

struct Problem {
  const char* name;
  Shape a;
  std::int64_t n;
  std::int64_t k;
};

const Problem kProblems[] = {
    {"One", {1, 1}, 1, 1},
    {"Row", {1, 130}, 33, 130},
    {"OddEnds", {13, 67}, 45, 67},
    {"WholeTiles", {24, 64}, 64, 64},
    {"Batches", {2, 3, 5, 9}, 20, 9},
    {"WidePitch", {17, 2048}, 40, 2048},
    {"SeveralBlocks", {5, 3001}, 70, 3001},
    {"ManyTiles", {300, 16}, 300, 16},
    {"NoRows", {0, 8}, 16, 8},
    {"NoColumns", {4, 8}, 0, 8},
    {"EmptySums", {4, 0}, 19, 0},
};

struct Step {
  const char* name;
  bool bias = false;
  std::optional<StepActivation> activation = {};
  ResidualPlace place = ResidualPlace::kNone;
};

const StepActivation kRelu{.op = OpKind::kRelu};
const StepActivation kClip{.op = OpKind::kClip, .low = -0.4F, .high = 1.1F};

const Step kSteps[] = {
    {"Plain"},
    {"Bias", true},
    {"Relu", false, kRelu},
    {"BiasClip", true, kClip},
    {"Residual", false, {}, ResidualPlace::kBefore},
    {"BiasResidualRelu", true, kRelu, ResidualPlace::kBefore},
    {"BiasClipResidual", true, kClip, ResidualPlace::kAfter},
};

Tensor Weights(std::int64_t k, std::int64_t n, Rng& rng) {
  return RandomTensor({DType::kInt8, {k, n}}, rng, -127, 128);
}

KernelCall CallOf(const Problem& problem, const Step& step, Rng& rng) {
  KernelCall call;
  call.op = OpKind::kDynamicMatMul;
  call.fusion = {.activation = step.activation, .residual = step.place};
  call.inputs = {RandomTensor({kF32, problem.a}, rng, -2, 3), Weights(problem.k, problem.n, rng),
                 RandomTensor({kF32, {problem.n}}, rng, 0.001, 0.004)};
  call.constant = {false, true, true, true, false};
  if (step.bias) {
    call.inputs.emplace_back(RandomTensor({kF32, {problem.n}}, rng));
  }
  if (step.place != ResidualPlace::kNone) {
    call.inputs.resize(kDynamicResidualOperand + 1);
    Shape shape = problem.a;
    shape[shape.rank() - 1] = problem.n;
    call.inputs[kDynamicResidualOperand] = RandomTensor({kF32, shape}, rng);
  }
  return call;
}

const KernelEntry& Reference() {
  return EntryNamed("dynamic_matmul.reference");
}

void ExpectReferenceBits(const KernelCall& call, const std::string& what) {
  const Tensor want = RunEntry(Reference(), call)[0];
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, threads)[0], want)) << entry->name << " " << what;
    }
  }
}

class DynamicProductTest : public ::testing::TestWithParam<Problem> {};

TEST_P(DynamicProductTest, EveryKernelHasTheBitsOfTheReference) {
  for (const Step& step : kSteps) {
    Rng rng(7);
    ExpectReferenceBits(CallOf(GetParam(), step, rng), step.name);
  }
}

// The bound of the header, without bias and epilogue.
TEST_P(DynamicProductTest, TheReferenceIsWithinItsBound) {
  Rng rng(8);
  const KernelCall call = CallOf(GetParam(), kSteps[0], rng);
  const Tensor got = RunEntry(Reference(), call)[0];
  const std::int64_t k = GetParam().k;
  const std::int64_t n = GetParam().n;
  const auto x = call.inputs[0]->values<float>();
  const auto scales = call.inputs[2]->values<float>();
  double largest_share = 0;  // of the bound
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    double exact = 0;
    double weights = 0;
    double largest = 0;
    for (std::int64_t e = 0; e < k; ++e) {
      const double w =
          static_cast<double>(scales[static_cast<std::size_t>(i % n)]) *
          static_cast<double>(
              call.inputs[1]->values<std::int8_t>()[static_cast<std::size_t>(e * n + i % n)]);
      const double value = x[static_cast<std::size_t>(i / n * k + e)];
      exact += value * w;
      weights += std::fabs(w);
      largest = std::max(largest, std::fabs(value));
    }
    const double y = got.values<float>()[static_cast<std::size_t>(i)];
    const double bound =
        (largest / 254 + 4 * kUnit * largest) * weights + 3.1 * kUnit * std::fabs(y);
    EXPECT_LE(std::fabs(y - exact), bound) << "element " << i;
    largest_share = std::max(largest_share, bound > 0 ? std::fabs(y - exact) / bound : 0);
  }
  // Rounding errors of uniform values, added up, come to a tenth of the bound of some element.
  EXPECT_TRUE(got.ElementCount() * k < 100 || largest_share > 0.01) << largest_share;
}

INSTANTIATE_TEST_SUITE_P(Quantized, DynamicProductTest, ::testing::ValuesIn(kProblems),
                         [](const auto& row) { return std::string(row.param.name); });

// A row stands for itself: an outlier in one row leaves the others as they were.
TEST(DynamicProduct, RowsDoNotMixScales) {
  Rng rng(9);
  KernelCall call = CallOf({"", {15, 40}, 64, 40}, kSteps[0], rng);
  const Tensor before = RunEntry(Reference(), call)[0];
  call.inputs[0]->mutable_values<float>()[7 * 40 + 3] = 1e6F;
  ExpectReferenceBits(call, "outlier");
  const Tensor after = RunEntry(Reference(), call)[0];
  for (std::size_t i = 0; i < 15 * 64; ++i) {
    EXPECT_EQ(before.values<float>()[i] == after.values<float>()[i], i / 64 != 7) << i;
  }
}

TEST(DynamicProduct, RowsWithoutAScaleAreNaN) {
  for (const float special : {kInfinity, -kInfinity, kNaN}) {
    Rng rng(10);
    KernelCall call = CallOf({"", {15, 40}, 37, 40}, kSteps[5], rng);
    call.inputs[0]->mutable_values<float>()[4 * 40 + 39] = special;
    ExpectReferenceBits(call, fmt::format("{}", special));
    const Tensor got = RunEntry(Reference(), call)[0];
    for (std::size_t i = 0; i < 15 * 37; ++i) {
      EXPECT_EQ(std::isnan(got.values<float>()[i]), i / 37 == 4) << i;
    }
  }
}

// Zeros, and rows so small that the reciprocal of their scale would be infinite.
TEST(DynamicProduct, RowsOfTinyValuesAreZeros) {
  const float below = std::nextafter(kLeastRowMagnitude, 0.0F);
  for (const float value : {0.0F, -0.0F, 0x1p-149F, 0x1p-126F, below}) {
    Rng rng(11);
    KernelCall call = CallOf({"", {3, 40}, 37, 40}, kSteps[1], rng);
    for (std::size_t i = 40; i < 80; ++i) {
      call.inputs[0]->mutable_values<float>()[i] = value;
    }
    ExpectReferenceBits(call, fmt::format("{}", value));
    const Tensor got = RunEntry(Reference(), call)[0];
    for (std::size_t j = 0; j < 37; ++j) {
      EXPECT_EQ(got.values<float>()[37 + j], call.inputs[3]->values<float>()[j]);
    }
  }
}

TEST(DynamicProduct, TheLeastAndTheLargestRowsHaveAScale) {
  for (const float value : {kLeastRowMagnitude, std::numeric_limits<float>::max()}) {
    const RowScale scale = RowScaleOf(value);
    EXPECT_TRUE(std::isnormal(scale.to_integers)) << value;
    EXPECT_TRUE(std::isnormal(scale.from_integers)) << value;
    EXPECT_EQ(std::nearbyint(value * scale.to_integers), 127) << value;
  }
}

// No largest magnitude is rounded beyond 127, which uint8 with the zero point 128 would saturate
// only at 128.
TEST(DynamicProduct, TheLargestMagnitudeBecomes127) {
  Rng rng(12);
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<float>(std::exp2(rng.Uniform(-118, 127)));
    ASSERT_EQ(std::nearbyint(value * RowScaleOf(value).to_integers), 127) << value;
  }
}

// Gelu is within 4 units of what it reads (tests/kernels/epilogue_test.cc); then come the rounding
// of the reference and that of a sum with the residual.
TEST(DynamicProduct, FunctionsAreFused) {
  for (const ResidualPlace place :
       {ResidualPlace::kNone, ResidualPlace::kBefore, ResidualPlace::kAfter}) {
    Rng rng(15);
    const StepActivation gelu{.op = OpKind::kGelu};
    KernelCall call = CallOf({"", {13, 40}, 45, 40}, {"", true, gelu, place}, rng);
    const Tensor want = RunEntry(Reference(), call)[0];
    std::vector<Tensor> got;
    for (const KernelEntry* entry : EntriesFor(call)) {
      got.push_back(RunEntry(*entry, call)[0]);
    }
    call.fusion = {.residual = place == ResidualPlace::kBefore ? place : ResidualPlace::kNone};
    const Tensor read = RunEntry(Reference(), call)[0];
    for (const Tensor& of_entry : got) {
      for (std::size_t i = 0; i < 13 * 45; ++i) {
        const double exact = want.values<float>()[i];
        const double bound =
            kUnit * (5 * std::fabs(read.values<float>()[i]) + 4 * std::fabs(exact));
        EXPECT_NEAR(of_entry.values<float>()[i], exact, bound) << i;
      }
    }
  }
}

TEST(DynamicProduct, LongSumsAreRefused) {
  Rng rng(13);
  KernelCall call =
      CallOf({"", {1, kMostDynamicProducts + 1}, 1, kMostDynamicProducts + 1}, kSteps[0], rng);
  try {
    RunEntry(Reference(), call);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(), "a sum of more than 133144 products may not fit into int32");
  }
}

// The most extreme sum that is served is exact in int32.
TEST(DynamicProduct, TheLongestSumIsExact) {
  const Shape row{1, kMostDynamicProducts};
  KernelCall call;
  call.op = OpKind::kDynamicMatMul;
  Tensor a(kF32, row);
  std::ranges::fill(a.mutable_values<float>(), 1.0F);
  Tensor b(DType::kInt8, {kMostDynamicProducts, 1});
  std::ranges::fill(b.mutable_values<std::int8_t>(), std::int8_t{-127});
  call.inputs = {a, b, TensorOf(kF32, {1}, {1.0})};
  call.constant = {false, true, true};
  ExpectReferenceBits(call, "longest");
  const float sum = -127.0F * 127.0F * static_cast<float>(kMostDynamicProducts);
  EXPECT_EQ(RunEntry(Reference(), call)[0].values<float>()[0], sum * (1.0F / 127.0F));
}

TEST(DynamicProduct, AFastKernelServesConstantWeightsAlone) {
  Rng rng(14);
  KernelCall call = CallOf({"", {12, 64}, 64, 64}, kSteps[1], rng);
  if (testing::IsTestedHere(call)) {
    EXPECT_FALSE(EntriesFor(call).front()->is_reference);
  }
  call.constant[1] = false;
  EXPECT_EQ(EntriesFor(call).size(), 1U);
}

}  // namespace
}  // namespace halftone
