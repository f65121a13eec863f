#include "kernels/gemm/gemm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"
#include "tests/kernels/gemm_products.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::AllWithinOrSpecial;
using testing::EntriesFor;
using testing::ExactResult;
using testing::ExpectWithinBound;
using testing::Gamma;
using testing::KernelCall;
using testing::kPrecisions;
using testing::OutputTypesOf;
using testing::Product;
using testing::ProductCallOf;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;
using testing::WithSpecialValues;

TEST(GemmTest, ErrorBound) {
  for (const std::int64_t m : {1, 2, 3, 11, 12, 13, 27}) {
    for (const std::int64_t n : {1, 2, 3, 15, 16, 17, 31, 32, 33, 67}) {
      for (const std::int64_t k : {1, 2, 3, 64, 67}) {
        ExpectWithinBound({.a = {m, k}, .b = {k, n}}, k);
      }
    }
  }
}

// B as it lies: along its rows, and along its columns.
TEST(GemmTest, ErrorBoundOfFewRowsByAComputedB) {
  const std::int64_t sizes[][2] = {{1, 1}, {3, 3}, {16, 64}, {17, 33}, {70, 67}, {801, 16}};
  for (const std::int64_t m : {1, 2, 3, 4}) {
    for (const auto& [n, k] : sizes) {
      Product product{.op = OpKind::kGemm, .a = {m, k}, .b = {k, n}, .constant = {}};
      product.attributes.Set("alpha", -0.5F);
      ExpectWithinBound(product, k);
      product = {.op = OpKind::kGemm, .a = {m, k}, .b = {n, k}, .constant = {}, .bias = Shape{n}};
      product.constant = {false, false, true};
      product.attributes.Set("transB", std::int64_t{1});
      ExpectWithinBound(product, k);
    }
    ExpectWithinBound({.a = {2, 3, m, 65}, .b = {2, 3, 65, 40}, .constant = {}}, 65);
    ExpectWithinBound({.a = {5, m, 7},
                       .b = {5, 7, 400},
                       .constant = {},
                       .fusion = {.residual = ResidualPlace::kAfter}},
                      7);
  }
}

TEST(GemmTest, ErrorBoundOverSeveralBlocks) {
  for (const std::int64_t k : {511, 512, 513, 1023, 1024, 1027, 2053}) {
    ExpectWithinBound({.a = {13, k}, .b = {k, 35}}, k);
  }
  ExpectWithinBound({.a = {253, 520}, .b = {520, 225}}, 520);
  ExpectWithinBound({.a = {1, 4096}, .b = {4096, 40}}, 4096);
  ExpectWithinBound({.a = {1, 600}, .b = {600, 901}}, 600);  // a row of 29 panels, two blocks
}

// Few rows read each panel to its end: rows kept for all panels, or not.
TEST(GemmTest, ErrorBoundOfFewRowsOverSeveralBlocks) {
  for (const std::int64_t m : {1, 2, 5, 12}) {
    for (const std::int64_t k : {1027, 6100}) {
      ExpectWithinBound({.a = {2, m, k}, .b = {k, 99}}, k);
      ExpectWithinBound({.a = {2, m, k}, .b = {2, k, 99}, .constant = {}}, k);
    }
  }
}

// B as it lies before a Transpose that a pass made part of the product
// (src/passes/fuse/fuse_transpose.h): the bits are those of the product of the transposed B.
void ExpectBitsOfTransposed(const Shape& a, const Shape& stored,
                            const std::vector<std::int64_t>& perm) {
  Rng rng(31);
  for (const DType dtype : kPrecisions) {
    KernelCall turned{.op = OpKind::kMatMul};
    turned.fusion.b_perm = perm;
    turned.inputs = {RandomTensor({dtype, a}, rng), RandomTensor({dtype, stored}, rng)};
    if (stored.ElementCount() > 0) {
      StoreDouble(dtype, turned.inputs[1]->mutable_data(), 0, std::nan(""));
    }
    turned.outputs = OutputTypesOf(turned);
    KernelCall transpose{.op = OpKind::kTranspose, .inputs = {turned.inputs[1]}};
    transpose.attributes.Set("perm", perm);
    transpose.outputs = OutputTypesOf(transpose);
    KernelCall plain{.op = OpKind::kMatMul,
                     .inputs = {turned.inputs[0], RunSelected(transpose)[0]},
                     .outputs = turned.outputs};
    for (const KernelEntry* entry : EntriesFor(turned)) {
      if (entry->name.ends_with("few_rows")) {  // sums in another order: ErrorBoundOfFewRows...
        continue;
      }
      EXPECT_TRUE(AllEqual(RunEntry(*entry, turned, 2)[0], RunEntry(*entry, plain)[0]))
          << entry->name << " of " << a.ToString() << " and " << stored.ToString();
    }
  }
}

TEST(GemmTest, TransposedBHasTheBitsOfBTransposed) {
  for (const std::int64_t n : {1, 3, 8, 31, 32, 33, 70}) {
    for (const std::int64_t k : {1, 2, 7, 8, 64, 65, 133}) {
      ExpectBitsOfTransposed({2, 3, 13, k}, {2, 3, n, k}, {0, 1, 3, 2});
      ExpectBitsOfTransposed({2, 3, 5, k}, {2, n, 3, k}, {0, 2, 3, 1});
    }
  }
  ExpectBitsOfTransposed({3, 5, 40}, {1, 33, 40}, {0, 2, 1});
  ExpectBitsOfTransposed({3, 5, 40}, {33, 3, 40}, {1, 2, 0});
  ExpectBitsOfTransposed({3, 5, 1100}, {33, 1100}, {1, 0});
  ExpectBitsOfTransposed({40}, {33, 40}, {1, 0});
  ExpectBitsOfTransposed({2, 3, 4, 5}, {7, 2, 5, 3}, {1, 3, 2, 0});  // columns that lie apart
  ExpectBitsOfTransposed({0, 5, 40}, {0, 33, 40}, {0, 2, 1});
}

TEST(GemmTest, NoMatricesOfAComputedBAreNoneToPack) {
  for (const DType dtype : kPrecisions) {
    KernelCall call{.op = OpKind::kMatMul,
                    .inputs = {Tensor(dtype, {0, 5, 40}), Tensor(dtype, {0, 40, 33})}};
    call.outputs = OutputTypesOf(call);
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_EQ(RunEntry(*entry, call)[0].ElementCount(), 0) << entry->name;
    }
  }
}

TEST(GemmTest, OperandsThatAreNotConstant) {
  ExpectWithinBound({.a = {13, 67}, .b = {67, 35}, .constant = {}}, 67);
  ExpectWithinBound({.a = {13, 1031}, .b = {1031, 35}, .constant = {true, false}}, 1031);
}

struct MatMulCase {
  const char* name;
  Shape a;
  Shape b;
};

class MatMulShapes : public ::testing::TestWithParam<MatMulCase> {};

TEST_P(MatMulShapes, FollowTheBroadcastRule) {
  const MatMulCase& shapes = GetParam();
  const std::int64_t k = shapes.a[shapes.a.rank() - 1];
  for (const bool constant : {false, true}) {
    ExpectWithinBound({.a = shapes.a, .b = shapes.b, .constant = {false, constant}}, k);
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, MatMulShapes,
                         ::testing::Values(MatMulCase{"Vectors", {5}, {5}},
                                           MatMulCase{"RowVector", {5}, {5, 7}},
                                           MatMulCase{"ColumnVector", {7, 5}, {5}},
                                           MatMulCase{"VectorByBatch", {5}, {3, 5, 7}},
                                           MatMulCase{"Batch", {3, 4, 5}, {3, 5, 7}},
                                           MatMulCase{"SharedB", {2, 3, 4, 5}, {5, 7}},
                                           MatMulCase{"SharedA", {4, 5}, {2, 3, 5, 7}},
                                           MatMulCase{"Crossed", {2, 1, 4, 5}, {1, 3, 5, 7}},
                                           MatMulCase{"Empty", {0, 5}, {5, 7}},
                                           MatMulCase{"EmptyInner", {3, 0}, {0, 7}}),
                         [](const auto& suite) { return suite.param.name; });

TEST(GemmTest, TransposesScalesAndBias) {
  for (const int trans_a : {0, 1}) {
    for (const int trans_b : {0, 1}) {
      for (const Shape& bias : {Shape{35}, Shape{1}, Shape{}, Shape{13, 1}, Shape{13, 35}}) {
        Product product{.op = OpKind::kGemm,
                        .a = trans_a != 0 ? Shape{67, 13} : Shape{13, 67},
                        .b = trans_b != 0 ? Shape{35, 67} : Shape{67, 35},
                        .bias = bias};
        product.attributes.Set("transA", std::int64_t{trans_a});
        product.attributes.Set("transB", std::int64_t{trans_b});
        product.attributes.Set("alpha", 0.75F);
        product.attributes.Set("beta", -1.5F);
        ExpectWithinBound(product, 67);
        product.constant = {};
        ExpectWithinBound(product, 67);
      }
    }
  }
}

TEST(GemmTest, FusedActivation) {
  Product product{.op = OpKind::kGemm, .a = {13, 67}, .b = {67, 35}, .bias = Shape{35}};
  product.fusion.activation = StepActivation{.op = OpKind::kRelu};
  ExpectWithinBound(product, 67);
  product.fusion.activation = StepActivation{.op = OpKind::kClip, .low = -0.5F, .high = 0.25F};
  ExpectWithinBound(product, 67);
}

TEST(GemmTest, Residual) {
  for (const ResidualPlace place : {ResidualPlace::kBefore, ResidualPlace::kAfter}) {
    const Fusion fusion{.residual = place};
    for (const std::int64_t m : {1, 13, 70}) {
      Product product{.op = OpKind::kGemm, .a = {m, 67}, .b = {67, 235}, .fusion = fusion};
      ExpectWithinBound(product, 67);
      product.bias = Shape{235};
      product.fusion.activation = StepActivation{.op = OpKind::kRelu};
      ExpectWithinBound(product, 67);
    }
    ExpectWithinBound({.a = {2, 3, 4, 5}, .b = {5, 7}, .fusion = fusion}, 5);
    ExpectWithinBound({.a = {3, 4, 5}, .b = {3, 5, 7}, .constant = {}, .fusion = fusion}, 5);
  }
}

TEST(GemmTest, ResidualOfAnotherTypeIsRefused) {
  Rng rng(3);
  const Fusion fusion{.residual = ResidualPlace::kBefore};
  KernelCall call = ProductCallOf({.a = {2, 3}, .b = {3, 4}, .fusion = fusion}, DType::kFloat16,
                                  DType::kFloat32, rng);
  call.inputs[kResidualOperand] = RandomTensor({DType::kFloat16, {2, 4}}, rng);
  try {
    RunSelected(call);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "expected a residual operand of floats of the result's type float32 2x4, got "
                 "float16 2x4");
  }
}

TEST(GemmTest, ResultDoesNotDependOnThreads) {
  Rng rng(7);
  for (const DType dtype : kPrecisions) {
    for (const Shape& a : {Shape{1, 2048}, Shape{200, 700}}) {
      const KernelCall call = ProductCallOf({.a = a, .b = {a[1], 500}}, dtype, dtype, rng);
      for (const KernelEntry* entry : EntriesFor(call)) {
        if (!entry->is_reference) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
              << entry->name;
        }
      }
    }
  }
}

// A row of A that holds NaN makes a row of NaN, infinity against infinity likewise; a zero times
// infinity too. Elements whose exact result is finite keep their bound.
TEST(GemmTest, SpecialValuesPropagate) {
  Rng rng(11);
  for (const DType dtype : kPrecisions) {
    KernelCall call = ProductCallOf({.a = {14, 37}, .b = {37, 40}}, dtype, DType::kFloat32, rng);
    std::vector<double> a(std::size_t{14} * 37, 0.5);
    a[0] = std::nan("");
    a[37] = INFINITY;
    a[2 * 37] = -INFINITY;
    a[3 * 37] = INFINITY;
    a[3 * 37 + 1] = -INFINITY;
    a[13 * 37 + 36] = INFINITY;  // the last of an odd K
    a[6 * 37] = INFINITY;        // behind the last of a finite row
    std::vector<double> b(std::size_t{37} * 40, 0.25);
    b[3] = 0;  // times infinity
    call.inputs[0] = TensorOf(dtype, {14, 37}, a);
    call.inputs[1] = TensorOf(dtype, {37, 40}, b);
    const Tensor exact = ExactResult(call)[0];
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_TRUE(AllWithinOrSpecial(*entry, RunEntry(*entry, call)[0], exact, Gamma(40)))
          << entry->name;
    }
  }
}

TEST(GemmTest, Float16ResultsOverflowToInfinity) {
  KernelCall call;
  call.op = OpKind::kMatMul;
  call.inputs = {TensorOf(DType::kFloat16, {2, 2}, {60000, 60000, -60000, -6000}),
                 TensorOf(DType::kFloat16, {2, 1}, {1, 1})};
  const Tensor want = TensorOf(DType::kFloat16, {2, 1}, {INFINITY, -INFINITY});
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], want)) << entry->name;
  }
}

TEST(GemmTest, SubnormalOperandsOfFloat16AreExact) {
  KernelCall call;
  call.op = OpKind::kMatMul;
  call.outputs = {{DType::kFloat32, {1, 1}}};
  const auto set_last = [&](double units) {
    call.inputs = {TensorOf(DType::kFloat16, {1, 3}, {0x1p-24, 0x1p-24, units * 0x1p-24}),
                   TensorOf(DType::kFloat16, {3, 1}, {1024, 2048, 0.5})};
  };
  set_last(3);
  for (const KernelEntry* entry : EntriesFor(call)) {
    // Sums in float16 are rounded to 2^-24.
    const double units = entry->product.float16_roundings > 0 ? 4 : 3;
    set_last(units);
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0],
                         TensorOf(DType::kFloat32, {1, 1}, {(3072 + units / 2) * 0x1p-24})))
        << entry->name;
  }
}

TEST(GemmTest, FusedReluKeepsNan) {
  KernelCall call;
  call.op = OpKind::kGemm;
  call.fusion.activation = StepActivation{.op = OpKind::kRelu};
  call.inputs = {TensorOf(DType::kFloat32, {1, 1}, {std::nan("")}),
                 TensorOf(DType::kFloat32, {1, 2}, {1, 1})};
  call.constant = {false, true};
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Tensor got = RunEntry(*entry, call)[0];
    EXPECT_TRUE(std::isnan(got.values<float>()[0])) << entry->name;
  }
}

TEST(GemmTest, IntegersAreExact) {
  KernelCall call;
  call.op = OpKind::kMatMul;
  call.inputs = {TensorOf(DType::kInt32, {1, 2}, {70000, -3}),
                 TensorOf(DType::kInt32, {2, 1}, {20000, 5})};
  EXPECT_EQ(IntegersOf(RunSelected(call)[0])[0], 70000LL * 20000 - 15);
  call.inputs = {TensorOf(DType::kInt8, {1, 2}, {100, 1}), TensorOf(DType::kInt8, {2, 1}, {2, 0})};
  EXPECT_EQ(IntegersOf(RunSelected(call)[0])[0], -56) << "200 wraps in 8 bits";
}

TEST(GemmTest, Float16HasAnExactAndAFastWay) {
  if ((DetectIsa() & kIsaAvx512Bf16) == 0) {
    GTEST_SKIP() << "this CPU has no bf16 dot units";
  }
  const std::vector<ImplMode> want = {ImplMode::kHighPrecision, ImplMode::kHighPerformance};
  EXPECT_EQ(KernelImplModes(OpKind::kGemm, DType::kFloat16, DetectIsa()), want);
  EXPECT_EQ(KernelImplModes(OpKind::kMatMul, DType::kFloat16, DetectIsa()), want);
}

}  // namespace
}  // namespace halftone
