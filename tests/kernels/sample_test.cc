// GridSample, MaxRoiPool, DeformConv, Col2Im, Det and Einsum: numbers worked out by hand
// and properties; the node tests of the ONNX project hold the modes against another implementation.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

// Parts of 3 x 5 pixels: rows {0 1}, {1 2}; columns {0 1}, {1 2 3}, {3 4}.
TEST(MaxRoiPoolTest, PartsShareThePixelsBetweenThem) {
  Tensor x(DType::kFloat32, {2, 1, 4, 6});
  for (std::size_t i = 0; i < 48; ++i) {
    x.mutable_values<float>()[i] = static_cast<float>(i);
  }
  KernelCall call{.op = OpKind::kMaxRoiPool};
  call.attributes.Set("pooled_shape", std::vector<std::int64_t>{2, 3});
  call.attributes.Set("spatial_scale", 0.5F);
  call.inputs = {x, TensorOf(DType::kFloat32, {1, 5}, {1, 2, 2.9, 10, 6})};
  // Pixels 1 to 5 across and 1 to 3 down (1.45 is rounded) of image 1.
  EXPECT_TRUE(
      AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 2, 3}, {38, 40, 41, 44, 46, 47})));
}

TEST(MaxRoiPoolTest, RegionsOutsideAndSpecialValues) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    KernelCall call{.op = OpKind::kMaxRoiPool};
    call.attributes.Set("pooled_shape", std::vector<std::int64_t>{1, 2});
    call.inputs = {TensorOf(dtype, {1, 1, 1, 4}, {-INFINITY, -3, NAN, 2}),
                   TensorOf(DType::kFloat32, {5, 5}, {0, 0,   0, 1,    0,  // two pixels
                                                      0, 2,   0, 3,    0,  // NaN, then a number
                                                      0, 7,   0, 9,    0,  // beside the image
                                                      1, 0,   0, 1,    0,  // no such image
                                                      0, NAN, 0, 1e30, 0})};
    EXPECT_TRUE(AllEqual(
        Computed(call),
        TensorOf(dtype, {5, 1, 1, 2}, {-INFINITY, -3, NAN, 2, 0, 0, 0, 0, -INFINITY, NAN})))
        << NameOf(dtype);
  }
  KernelCall none{.op = OpKind::kMaxRoiPool};
  none.attributes.Set("pooled_shape", std::vector<std::int64_t>{1, 2});
  none.inputs = {Tensor(DType::kFloat32, {1, 1, 1, 4}), Tensor(DType::kFloat32, {0, 5})};
  EXPECT_EQ(Computed(none).type().ToString(), "float32 0x1x1x2");
}

KernelCall DeformCall(DType dtype, Rng& rng, bool moves) {
  KernelCall call{.op = OpKind::kDeformConv};
  call.attributes.Set("group", std::int64_t{2});
  call.attributes.Set("offset_group", std::int64_t{2});
  call.attributes.Set("strides", std::vector<std::int64_t>{1, 2});
  call.attributes.Set("pads", std::vector<std::int64_t>{1, 0, 0, 1});
  call.attributes.Set("dilations", std::vector<std::int64_t>{1, 2});
  call.inputs = {
      RandomTensor({dtype, {2, 4, 5, 7}}, rng), RandomTensor({dtype, {6, 2, 2, 2}}, rng),
      moves ? RandomTensor({dtype, {2, 16, 5, 3}}, rng, -2, 2) : Tensor(dtype, {2, 16, 5, 3}),
      RandomTensor({dtype, {6}}, rng), RandomTensor({dtype, {2, 8, 5, 3}}, rng)};
  return call;
}

// Without offsets and mask it is the convolution.
TEST(DeformConvTest, WithoutOffsetsItIsAConvolution) {
  Rng rng(5);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    KernelCall call = DeformCall(dtype, rng, false);
    call.inputs.pop_back();
    KernelCall conv = call;
    conv.op = OpKind::kConv;
    conv.inputs = {call.inputs[0], call.inputs[1], call.inputs[3]};
    conv.attributes.Erase("offset_group");
    const Tensor exact = ExactResult(conv)[0];
    // 8 products and the bias in double, one rounding.
    EXPECT_TRUE(AllWithin(Computed(call), exact, ErrorBound{0x1p-24 * (1 + 0x1p-20), 0x1p-45}))
        << NameOf(dtype);
  }
}

// The definition, element by element, with offsets and mask.
double DeformedAt(const KernelCall& call, std::int64_t n, std::int64_t m, std::int64_t row,
                  std::int64_t column) {
  const auto at = [&](std::size_t input, std::initializer_list<std::int64_t> index) {
    const Tensor& tensor = *call.inputs[input];
    std::int64_t flat = 0;
    int axis = 0;
    for (const std::int64_t i : index) {
      if (i < 0 || i >= tensor.shape()[axis]) {
        return 0.0;
      }
      flat = flat * tensor.shape()[axis++] + i;
    }
    return DoubleAt(tensor.dtype(), tensor.data(), flat);
  };
  double sum = at(3, {m});
  for (std::int64_t c = 0; c < 2; ++c) {
    const std::int64_t channel = m / 3 * 2 + c;
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 2; ++j) {
        const std::int64_t tap = channel / 2 * 4 + i * 2 + j;
        const double h = static_cast<double>(row - 1 + i) + at(2, {n, tap * 2, row, column});
        const double w =
            static_cast<double>(column * 2 + j * 2) + at(2, {n, tap * 2 + 1, row, column});
        double sample = 0;
        for (std::int64_t y = -1; y <= 5; ++y) {
          for (std::int64_t x = -1; x <= 7; ++x) {
            const double weight = std::max(0.0, 1 - std::abs(h - static_cast<double>(y))) *
                                  std::max(0.0, 1 - std::abs(w - static_cast<double>(x)));
            sample += weight * at(0, {n, channel, y, x});
          }
        }
        sum += sample * at(1, {m, c, i, j}) * at(4, {n, tap, row, column});
      }
    }
  }
  return sum;
}

TEST(DeformConvTest, SamplesBetweenPixels) {
  Rng rng(6);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    const KernelCall call = DeformCall(dtype, rng, true);
    const Tensor got = Computed(call);
    Tensor want(DType::kFloat64, got.shape());
    for (std::int64_t i = 0; i < want.ElementCount(); ++i) {
      want.mutable_values<double>()[static_cast<std::size_t>(i)] =
          DeformedAt(call, i / 90, i / 15 % 6, i / 3 % 5, i % 3);
    }
    EXPECT_TRUE(AllWithin(got, want, ErrorBound{0x1p-24 * (1 + 0x1p-20), 0x1p-45}))
        << NameOf(dtype);
  }
}

TEST(DeformConvTest, PlacesOutsideReadNothing) {
  KernelCall call{.op = OpKind::kDeformConv};
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 3}, {1, INFINITY, 5}),
                 TensorOf(DType::kFloat32, {1, 1, 1, 1}, {2}),
                 TensorOf(DType::kFloat32, {1, 2, 1, 3}, {0, NAN, 0.5, 0, 0, 1e30})};
  // A whole position beside the infinity, NaN, and far outside.
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(DType::kFloat32, {1, 1, 1, 3}, {2, 0, 0})));
}

// The exact determinant of small integers, by minors.
std::int64_t Minors(const std::vector<std::int64_t>& a, std::size_t size) {
  if (size == 0) {
    return 1;
  }
  std::int64_t sum = 0;
  for (std::size_t column = 0; column < size; ++column) {
    std::vector<std::int64_t> rest;
    for (std::size_t i = size; i < size * size; ++i) {
      if (i % size != column) {
        rest.push_back(a[i]);
      }
    }
    sum += (column % 2 == 0 ? 1 : -1) * a[column] * Minors(rest, size - 1);
  }
  return sum;
}

// The bound of kernels/determinant/determinant.h for elements of at most 4.
double DeterminantError(std::size_t size) {
  const auto m = static_cast<double>(size);
  return std::pow(m, 3.5) * std::exp2(m - 1) * 0x1p-53 * 4 * std::pow(4 * std::sqrt(m), m - 1);
}

TEST(DeterminantTest, StaysWithinBound) {
  Rng rng(9);
  for (std::size_t size = 0; size <= 7; ++size) {
    for (const DType dtype :
         {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      const auto m = static_cast<std::int64_t>(size);
      Tensor x(dtype, {3, m, m});
      Tensor want(DType::kFloat64, {3});
      for (std::int64_t matrix = 0; matrix < 3; ++matrix) {
        std::vector<std::int64_t> values;
        for (std::int64_t i = 0; i < m * m; ++i) {
          values.push_back(static_cast<std::int64_t>(rng.Below(9)) - 4);
          StoreDouble(dtype, x.mutable_data(), matrix * m * m + i,
                      static_cast<double>(values.back()));
        }
        want.mutable_values<double>()[static_cast<std::size_t>(matrix)] =
            static_cast<double>(Minors(values, size));
      }
      const KernelCall call{.op = OpKind::kDet, .inputs = {x}};
      EXPECT_TRUE(AllWithin(Computed(call), want, ErrorBound{0x1p-24, DeterminantError(size)}))
          << size << " " << NameOf(dtype);
    }
  }
}

TEST(DeterminantTest, SpecialValues) {
  const DType f = DType::kFloat32;
  const KernelCall call{
      .op = OpKind::kDet,
      .inputs = {
          TensorOf(f, {4, 2, 2}, {0, 2, 3, 4, NAN, 1, 1, 1, INFINITY, 0, 0, 2, 0, 1, 0, 5})}};
  EXPECT_TRUE(AllEqual(Computed(call), TensorOf(f, {4}, {-6, NAN, INFINITY, 0})));
  const KernelCall one{.op = OpKind::kDet, .inputs = {TensorOf(f, {1, 1}, {-7})}};
  EXPECT_TRUE(AllEqual(Computed(one), TensorOf(f, {}, {-7})));
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
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0], Convert(c.want, dtype)))
            << entry->name << " " << c.equation;
      }
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
