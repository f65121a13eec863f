// GridSample, RoiAlign, Col2Im and Einsum: numbers worked out by hand and properties; the node
// tests of the ONNX project hold the modes against another implementation.
#include <cmath>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

Tensor Computed(const KernelCall& call) {
  const Tensor one = RunSelected(call, 1)[0];
  EXPECT_TRUE(AllEqual(RunSelected(call, 2)[0], one));
  return one;
}

// Where the grid points at pixels, every mode and padding gives them back.
TEST(GridSampleTest, TheGridOfAllPixelsIsTheImage) {
  Rng rng(21);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      for (const char* padding : {"zeros", "border", "reflection"}) {
        KernelCall call{.op = OpKind::kGridSample};
        call.attributes.Set("mode", std::string(mode));
        call.attributes.Set("padding_mode", std::string(padding));
        call.attributes.Set("align_corners", std::int64_t{1});
        const Tensor x = RandomTensor({dtype, {2, 3, 3, 5}}, rng);
        Tensor grid(DType::kFloat32, {2, 3, 5, 2});
        for (std::int64_t i = 0; i < 30; ++i) {
          const auto at = static_cast<std::size_t>(i * 2);
          grid.mutable_values<float>()[at] = static_cast<float>(i % 5) / 2 - 1;
          grid.mutable_values<float>()[at + 1] = static_cast<float>(i / 5 % 3) - 1;
        }
        call.inputs = {x, grid};
        EXPECT_TRUE(AllEqual(Computed(call), x)) << mode << " " << padding;
      }
    }
  }
}

TEST(GridSampleTest, OutsideIsWhatThePaddingSays) {
  KernelCall call{.op = OpKind::kGridSample};
  call.attributes.Set("mode", std::string("nearest"));
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 4}, {1, 2, 3, 4}),
                 TensorOf(DType::kFloat32, {1, 1, 3, 2}, {-1.3, 0, 1.6, 0, 0.1, 0})};
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 1, 3}, {0, 0, 3})));
  call.attributes.Set("padding_mode", std::string("border"));
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 1, 3}, {1, 4, 3})));
  // Pixel coordinates -1.1 and 4.7, reflected at -0.5 and 3.5: 0.1 and 2.3.
  call.attributes.Set("padding_mode", std::string("reflection"));
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 1, 3}, {1, 3, 3})));
}

TEST(GridSampleTest, NaNReadsNothing) {
  KernelCall call{.op = OpKind::kGridSample};
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 2}, {1, 2}),
                 TensorOf(DType::kFloat32, {1, 1, 1, 2}, {NAN, INFINITY})};
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 1, 1}, {0})));
}

TEST(GridSampleTest, AnUnknownModeIsAnError) {
  KernelCall call{.op = OpKind::kGridSample};
  call.attributes.Set("mode", std::string("area"));
  call.inputs = {Tensor(DType::kFloat32, {1, 1, 2, 2}), Tensor(DType::kFloat32, {1, 1, 1, 2})};
  try {
    RunSelected(call);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "attribute 'mode': expected nearest, linear or cubic, got 'area'");
  }
}

// A linear image is its own mean at the centre of a bin.
TEST(RoiAlignTest, BinsOfALinearImageAreItsValuesAtTheirCentres) {
  Tensor x(DType::kFloat32, {1, 1, 8, 8});
  for (std::int64_t i = 0; i < 64; ++i) {
    x.mutable_values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i / 8 * 2 + i % 8);
  }
  KernelCall call{.op = OpKind::kRoiAlign};
  call.attributes.Set("output_height", std::int64_t{2});
  call.attributes.Set("output_width", std::int64_t{2});
  call.inputs = {x, TensorOf(DType::kFloat32, {2, 4}, {1.5, 2.5, 5.5, 6.5, 0, 0, 4, 4}),
                 Tensor::From<std::int64_t>({2}, std::vector<std::int64_t>{0, 5})};
  // Region of 4x4 pixels from (1, 2): bins centred at 2 and 4 across, 3 and 5 down. No image 5.
  EXPECT_TRUE(AllEqual(Computed(call),
                       TensorOf(DType::kFloat32, {2, 1, 2, 2}, {8, 10, 12, 14, 0, 0, 0, 0})));
}

TEST(Col2ImTest, OverlappingBlocksAddUp) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8}) {
    KernelCall call{.op = OpKind::kCol2Im};
    call.inputs = {TensorOf(dtype, {1, 2, 2}, {1, 2, 10, 20}),
                   Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{3}),
                   Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{2})};
    call.constant = {false, true, true};
    EXPECT_TRUE(AllEqual(Computed(call), TensorOf(dtype, {1, 1, 3}, {1, 12, 20})));
  }
}

struct EinsumCase {
  const char* equation;
  std::vector<Tensor> inputs;
  Tensor want;
};

TEST(EinsumTest, SumsProductsOverLabels) {
  const DType f = DType::kFloat64;
  const Tensor a = TensorOf(f, {2, 2}, {1, 2, 3, 4});
  const Tensor b = TensorOf(f, {2, 2}, {5, 6, 7, 8});
  const EinsumCase cases[] = {
      {"ij,jk->ik", {a, b}, TensorOf(f, {2, 2}, {19, 22, 43, 50})},
      {"ij,jk", {a, b}, TensorOf(f, {2, 2}, {19, 22, 43, 50})},
      {"ba", {a}, TensorOf(f, {2, 2}, {1, 3, 2, 4})},
      {"ii", {a}, TensorOf(f, {}, {5})},
      {"ii->i", {a}, TensorOf(f, {2}, {1, 4})},
      {" i j -> ", {a}, TensorOf(f, {}, {10})},
      {"...j,j->...", {a, TensorOf(f, {2}, {1, 10})}, TensorOf(f, {2}, {21, 43})},
      {"...,...", {a, TensorOf(f, {1, 2}, {1, 10})}, TensorOf(f, {2, 2}, {1, 20, 3, 40})},
      {"i,j,k->",
       {TensorOf(f, {2}, {1, 2}), TensorOf(f, {1}, {3}), TensorOf(f, {2}, {4, 5})},
       TensorOf(f, {}, {81})},
  };
  for (const EinsumCase& c : cases) {
    for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kBFloat16, DType::kInt8}) {
      KernelCall call{.op = OpKind::kEinsum};
      call.attributes.Set("equation", std::string(c.equation));
      for (const Tensor& input : c.inputs) {
        call.inputs.emplace_back(Convert(input, dtype));
      }
      EXPECT_TRUE(AllEqual(Computed(call), Convert(c.want, dtype))) << c.equation;
    }
  }
}

TEST(EinsumTest, EquationsThatDoNotFitAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"ij,jk->ik", "attribute 'equation': 'ij,jk->ik' has 2 terms for 1 inputs"},
      {"ijk", "attribute 'equation': a term of 'ijk' does not fit input 0 of shape 2x3"},
      {"ii", "attribute 'equation': one label of 'ii' has the extents 2 and 3"},
      {"i1", "attribute 'equation': 'i1' has '1', expected letters and one ellipsis a term"},
      {"ij->k",
       "attribute 'equation': the output of 'ij->k' has a label twice, or one that no input has"},
  };
  for (const auto& [equation, message] : cases) {
    KernelCall call{.op = OpKind::kEinsum};
    call.attributes.Set("equation", std::string(equation));
    call.inputs = {Tensor(DType::kFloat32, {2, 3})};
    try {
      OutputTypesOf(call);
      FAIL() << "no error for " << equation;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace halftone::testing
