// GridSample by blocks of points against the specification, within the bound of
// kernels/sample/sample.h. tests/kernels/sample_test.cc has what the specification itself gives.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

const DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

struct Size {
  Shape image;
  Shape points;  // of the result, per image and channel
};

// Around blocks of 16, 64, 128 and 256 points and vectors of 16 lanes; rows as long as a window.
const Size kSizes[] = {
    {{1, 1, 1, 4}, {1, 1}},        {{2, 3, 3, 5}, {1, 3}},    {{1, 2, 7, 4}, {1, 17}},
    {{2, 3, 9, 31}, {3, 85}},      {{1, 2, 6, 6}, {1, 256}},  {{1, 1, 6, 17}, {257, 1}},
    {{2, 1, 5, 5}, {1, 63}},       {{1, 5, 33, 8}, {13, 41}}, {{2, 2, 3, 4, 5}, {2, 3, 5}},
    {{1, 3, 4, 5, 7}, {1, 3, 43}}, {{1, 0, 3, 4}, {2, 2}},    {{0, 2, 3, 4}, {2, 2}},
    {{1, 2, 3, 4}, {0, 2}},        {{1, 2, 4, 1}, {3, 5}},
};

Tensor GridFor(const Size& size, Rng& rng, double low, double high) {
  const int axes = size.points.rank();
  std::vector<std::int64_t> dims = {size.image[0]};
  for (int axis = 0; axis < axes; ++axis) {
    dims.push_back(size.points[axis]);
  }
  dims.push_back(axes);
  return RandomTensor({DType::kFloat32, Shape(dims)}, rng, low, high);
}

KernelCall CallOf(const char* mode, const char* padding, bool align_corners) {
  KernelCall call{.op = OpKind::kGridSample};
  call.attributes.Set("mode", std::string(mode));
  call.attributes.Set("padding_mode", std::string(padding));
  call.attributes.Set("align_corners", std::int64_t{align_corners});
  return call;
}

template <typename Visit>
void ForEachForm(const Visit& visit) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool align_corners : {false, true}) {
        visit(CallOf(mode, padding, align_corners),
              std::string(mode) + " " + padding + (align_corners ? " aligned" : ""));
      }
    }
  }
}

// 16 * 2^-53 * taps * sum |w x| with 64 taps at most, whose weights add up to at most 1.375^3 in
// magnitude, and one rounding to float32.
ErrorBound BoundFor(double greatest) {
  return {0x1p-24 * (1 + 0x1p-20), 16 * 0x1p-53 * 64 * 2.6 * greatest + kFloatSubnormalUlp};
}

void ExpectWithinBound(const KernelCall& call, double greatest, const std::string& what) {
  const Tensor exact = ExactResult(call)[0];
  for (const KernelEntry* entry : EntriesFor(call)) {
    const Tensor one = RunEntry(*entry, call)[0];
    EXPECT_TRUE(AllWithin(one, exact, BoundFor(greatest))) << entry->name << " " << what;
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], one)) << entry->name << " " << what;
  }
}

TEST(GridSampleTest, StaysWithinBound) {
  Rng rng(31);
  ForEachForm([&](KernelCall call, const std::string& form) {
    for (const DType dtype : kFloats) {
      for (const Size& size : kSizes) {
        for (const double spread : {0.9, 3.5}) {
          call.inputs = {RandomTensor({dtype, size.image}, rng),
                         GridFor(size, rng, -spread, spread)};
          ExpectWithinBound(call, 1,
                            form + " " + std::string(NameOf(dtype)) + " " + size.image.ToString());
        }
      }
    }
  });
}

// Points on pixels, between them, at the ends, and where whole numbers are more than 1 apart.
TEST(GridSampleTest, PlacesThatAreRare) {
  const float places[] = {-1,        1,         0,        0.25F,       -0.75F,    0.5F,   -1.25F,
                          1.25F,     2,         -3,       1e9F,        2.5e15F,   -4e15F, -1e9F,
                          1e17F,     3e17F,     -0x1p60F, 1e30F,       -1e38F,    NAN,    INFINITY,
                          -INFINITY, 0x1p-149F, -0.0F,    0.99999994F, 1.0000001F};
  constexpr std::int64_t kCount = std::size(places);
  Rng rng(32);
  const Size size{{1, 2, 4, 8}, {kCount, kCount}};
  Tensor grid = GridFor(size, rng, 0, 1);
  for (std::int64_t i = 0; i < kCount * kCount; ++i) {
    grid.mutable_values<float>()[static_cast<std::size_t>(2 * i)] = places[i % kCount];
    grid.mutable_values<float>()[static_cast<std::size_t>(2 * i + 1)] = places[i / kCount];
  }
  ForEachForm([&](KernelCall call, const std::string& form) {
    for (const DType dtype : kFloats) {
      call.inputs = {RandomTensor({dtype, size.image}, rng), grid};
      ExpectWithinBound(call, 1, form + " " + std::string(NameOf(dtype)));
    }
  });
}

// Infinities, NaN and extreme numbers reach the points that read them and no others.
TEST(GridSampleTest, SpecialPixels) {
  Rng rng(33);
  const Size size{{2, 3, 6, 9}, {11, 13}};
  ForEachForm([&](KernelCall call, const std::string& form) {
    for (const DType dtype : kFloats) {
      for (const double spread : {1.0, 2.0}) {
        const Tensor x = WithSpecialValues(RandomTensor({dtype, size.image}, rng), rng, 20);
        double greatest = 0;
        for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
          const double value = DoubleAt(dtype, x.data(), i);
          greatest = std::isfinite(value) ? std::max(greatest, std::abs(value)) : greatest;
        }
        call.inputs = {x, GridFor(size, rng, -spread, spread)};
        ExpectWithinBound(call, greatest, form + " " + std::string(NameOf(dtype)));
      }
    }
  });
}

// The pixel beside the last one has no weight there and is the last one itself.
TEST(GridSampleTest, AnInfinitePixelAtTheBorderIsNoNaN) {
  KernelCall call = CallOf("linear", "border", true);
  call.inputs = {TensorOf(DType::kFloat32, {1, 1, 1, 3}, {1, 2, INFINITY}),
                 TensorOf(DType::kFloat32, {1, 1, 2, 2}, {1, 0, 5, 0})};
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(AllEqual(RunEntry(*entry, call)[0],
                         TensorOf(DType::kFloat32, {1, 1, 1, 2}, {INFINITY, INFINITY})))
        << entry->name;
  }
}

TEST(GridSampleTest, RowsShorterThanAWindowAreLeftToTheReference) {
  Rng rng(34);
  for (const Shape& image : {Shape{1, 2, 3, 3}, Shape{1, 2, 0, 4}}) {
    KernelCall call = CallOf("cubic", "border", false);
    call.inputs = {RandomTensor({DType::kFloat32, image}, rng),
                   RandomTensor({DType::kFloat32, {1, 2, 2, 2}}, rng)};
    EXPECT_EQ(EntriesFor(call)[0]->name, "grid_sample.any.reference");
  }
}

// The grid may be double, and one result does not depend on its neighbours in a block.
TEST(GridSampleTest, DoubleGrid) {
  Rng rng(35);
  KernelCall call = CallOf("linear", "zeros", false);
  const Size size{{1, 2, 5, 6}, {3, 7}};
  const Tensor grid = GridFor(size, rng, -1.2, 1.2);
  call.inputs = {RandomTensor({DType::kFloat32, size.image}, rng), grid};
  const Tensor want = RunSelected(call)[0];
  call.inputs[1] = Convert(grid, DType::kFloat64);
  EXPECT_TRUE(AllEqual(RunSelected(call)[0], want));
}

}  // namespace
}  // namespace halftone::testing
