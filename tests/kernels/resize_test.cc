#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

struct Case {
  const char* name;
  Shape input;
  std::vector<float> scales;        // empty: sizes
  std::vector<std::int64_t> sizes;  // empty: scales
  const char* mode;
  const char* transformation = "half_pixel";
  const char* nearest_mode = "round_prefer_floor";
  float cubic_a = -0.75F;
  bool exclude_outside = false;
};

KernelCall CallOf(const Case& param, const Tensor& x) {
  KernelCall call{.op = OpKind::kResize};
  call.attributes.Set("mode", std::string(param.mode));
  call.attributes.Set("coordinate_transformation_mode", std::string(param.transformation));
  call.attributes.Set("nearest_mode", std::string(param.nearest_mode));
  call.attributes.Set("cubic_coeff_a", param.cubic_a);
  call.attributes.Set("exclude_outside", std::int64_t{param.exclude_outside});
  call.inputs = {x, std::nullopt, std::nullopt, std::nullopt};
  const auto rank = static_cast<std::int64_t>(x.shape().rank());
  if (param.sizes.empty()) {
    call.inputs[2] = Tensor::From<float>({rank}, param.scales);
  } else {
    call.inputs[3] = Tensor::From<std::int64_t>({rank}, param.sizes);
  }
  call.constant = {false, true, true, true};
  return call;
}

// The oracle, written from the operator's specification without the kernels' code.

double Coordinate(const Case& c, double scale, std::int64_t in, std::int64_t out, std::int64_t o) {
  const std::string_view t = c.transformation;
  if (t == "align_corners") {
    return out == 1 ? 0
                    : static_cast<double>(o) * static_cast<double>(in - 1) /
                          static_cast<double>(out - 1);
  }
  if (t == "asymmetric") {
    return static_cast<double>(o) / scale;
  }
  if (t == "tf_half_pixel_for_nn") {
    return (static_cast<double>(o) + 0.5) / scale;
  }
  if (t == "pytorch_half_pixel" && out == 1) {
    return 0;
  }
  double shift = 0;
  if (t == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(out) / (scale * static_cast<double>(in));
    shift = static_cast<double>(in) / 2 * (1 - adjustment);
  }
  return shift + (static_cast<double>(o) + 0.5) / scale - 0.5;
}

double Kernel(const Case& c, double distance) {
  const double d = std::abs(distance);
  if (std::string_view(c.mode) == "linear") {
    return std::max(0.0, 1 - d);
  }
  const double a = c.cubic_a;
  if (d <= 1) {
    return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  }
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

std::int64_t NearestOf(const Case& c, double x) {
  const std::string_view mode = c.nearest_mode;
  const double floor = std::floor(x);
  const bool tie = x - floor == 0.5;
  if (mode == "floor" || (mode == "round_prefer_floor" && tie)) {
    return static_cast<std::int64_t>(floor);
  }
  if (mode == "ceil" || (mode == "round_prefer_ceil" && tie)) {
    return static_cast<std::int64_t>(std::ceil(x));
  }
  return static_cast<std::int64_t>(std::llround(x));
}

struct Sum {
  double value = 0;
  double magnitude = 0;  // sum |weight * x|
};

class ResizeTest : public ::testing::TestWithParam<Case> {
 protected:
  static double Scale(const Case& c, const Shape& in, const Shape& out, int axis) {
    return c.sizes.empty() ? static_cast<double>(c.scales[static_cast<std::size_t>(axis)])
                           : static_cast<double>(out[axis]) / static_cast<double>(in[axis]);
  }

  // Every source position, weighed by the product of the kernels along all axes.
  static Sum Exact(const Case& c, const Tensor& x, const Shape& out, const Position& at) {
    Sum sum;
    const Shape& in = x.shape();
    std::vector<std::vector<double>> weights;
    for (int axis = 0; axis < in.rank(); ++axis) {
      weights.push_back(AxisWeights(c, Scale(c, in, out, axis), in[axis], out[axis],
                                    at[static_cast<std::size_t>(axis)]));
    }
    AddTerms(x, weights, 0, 0, 1, sum);
    return sum;
  }

  // The terms of all source positions whose weights are not 0, axis by axis.
  static void AddTerms(const Tensor& x, const std::vector<std::vector<double>>& weights,
                       std::size_t axis, std::int64_t index, double weight, Sum& sum) {
    if (axis == weights.size()) {
      const double term = weight * DoubleAt(x.dtype(), x.data(), index);
      sum.value += term;
      sum.magnitude += std::abs(term);
      return;
    }
    for (std::size_t i = 0; i < weights[axis].size(); ++i) {
      if (weights[axis][i] != 0) {
        const auto extent = static_cast<std::int64_t>(weights[axis].size());
        AddTerms(x, weights, axis + 1, index * extent + static_cast<std::int64_t>(i),
                 weight * weights[axis][i], sum);
      }
    }
  }

  // The weight of each source index; what lies outside counts for the edge, or not at all.
  static std::vector<double> AxisWeights(const Case& c, double scale, std::int64_t in,
                                         std::int64_t out, std::int64_t o) {
    std::vector<double> weights(static_cast<std::size_t>(in), 0);
    const double x = Coordinate(c, scale, in, out, o);
    double inside = 0;
    for (std::int64_t i = -8; i < in + 8; ++i) {
      const double weight = Kernel(c, x - static_cast<double>(i));
      const bool outside = i < 0 || i >= in;
      if (!(outside && c.exclude_outside)) {
        weights[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, in - 1))] += weight;
        inside += weight;
      }
    }
    for (double& weight : weights) {
      weight /= c.exclude_outside ? inside : 1;
    }
    return weights;
  }
};

TEST_P(ResizeTest, InterpolatesWithinTheBound) {
  const Case& param = GetParam();
  Rng rng(21);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    const Tensor x = RandomTensor({dtype, param.input}, rng, -2, 2);
    const KernelCall call = CallOf(param, x);
    const Shape out = OutputTypesOf(call)[0].shape;
    Tensor exact(DType::kFloat64, out);
    std::vector<double> allowed;
    // g(2 (K + 1)) of kernels/resize/separable.h; the oracle itself is off by double rounding of
    // coordinates: 2^-40 covers extents below 2^10.
    const double k = std::string_view(param.mode) == "linear" ? 2 : 4;
    const double nu = 2 * (k + 1) * 0x1p-24;
    for (std::int64_t o = 0; o < exact.ElementCount(); ++o) {
      const Sum sum = Exact(param, x, out, PositionAt(out, o));
      exact.mutable_values<double>()[static_cast<std::size_t>(o)] = sum.value;
      allowed.push_back((nu / (1 - nu) + 0x1p-40) * sum.magnitude + 0x1p-40);
    }
    const auto entries = EntriesFor(call);
    const bool is_half = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
    const bool only_reference =
        dtype == DType::kFloat64 || (is_half && (DetectIsa() & kIsaAvx2) == 0);
    EXPECT_EQ(entries.size(), only_reference ? 1U : 2U) << NameOf(dtype);
    for (const KernelEntry* entry : entries) {
      for (const int threads : {1, 2}) {
        EXPECT_TRUE(
            AllWithin(RunEntry(*entry, call, threads)[0], exact,
                      [&](std::int64_t i, double) { return allowed[static_cast<std::size_t>(i)]; }))
            << entry->name << " in " << NameOf(dtype);
      }
    }
  }
}

class ResizeNearestTest : public ResizeTest {};

TEST_P(ResizeNearestTest, CopiesExactly) {
  const Case& param = GetParam();
  Rng rng(22);
  for (const DTypeRow& row : kDTypes) {
    const Tensor x = RandomTensor({row.dtype, param.input}, rng, 0, 100);
    const KernelCall call = CallOf(param, x);
    const Shape out = OutputTypesOf(call)[0].shape;
    const Tensor want = ByIndex(x, out, [&](const Position& at) {
      Position from(at.size());
      for (int axis = 0; axis < out.rank(); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double coordinate = Coordinate(param, Scale(param, x.shape(), out, axis),
                                             x.shape()[axis], out[axis], at[a]);
        from[a] = std::clamp<std::int64_t>(NearestOf(param, coordinate), 0, x.shape()[axis] - 1);
      }
      return std::optional(from);
    });
    const auto entries = EntriesFor(call);
    EXPECT_EQ(entries.size(), 2U);
    for (const KernelEntry* entry : entries) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 2)[0], want))
          << entry->name << " in " << row.name;
    }
  }
}

const Case kNearestCases[] = {
    {"Nearest2", {1, 2, 3, 5}, {1, 1, 2, 2}, {}, "nearest", "asymmetric", "floor"},
    {"Nearest2HalfPixel", {1, 2, 3, 5}, {1, 1, 2, 2}, {}, "nearest"},
    {"Nearest2Nhwc", {1, 3, 5, 2}, {1, 2, 2, 1}, {}, "nearest", "asymmetric", "floor"},
    {"Nearest3", {2, 1, 4, 3}, {1, 1, 3, 3}, {}, "nearest", "asymmetric", "floor"},
    {"Nearest3And2", {1, 1, 4, 3}, {1, 1, 2, 3}, {}, "nearest", "asymmetric", "floor"},
    {"NearestHalf", {1, 2, 6, 9}, {1, 1, 0.5F, 0.5F}, {}, "nearest"},
    {"NearestOdd",
     {1, 1, 5, 7},
     {1, 1, 1.6F, 0.7F},
     {},
     "nearest",
     "half_pixel",
     "round_prefer_ceil"},
    {"NearestSizes", {1, 1, 5, 7}, {}, {1, 1, 7, 8}, "nearest"},
    {"NearestCeil", {1, 1, 5, 7}, {}, {1, 1, 9, 4}, "nearest", "half_pixel", "ceil"},
    {"NearestCorners", {1, 1, 4, 4}, {}, {1, 1, 8, 8}, "nearest", "align_corners", "floor"},
    {"NearestTf", {1, 1, 4, 5}, {1, 1, 2.5F, 1.6F}, {}, "nearest", "tf_half_pixel_for_nn", "floor"},
    {"NearestTfDown", {1, 2, 7, 6}, {1, 1, 0.6F, 0.5F}, {}, "nearest", "tf_half_pixel_for_nn"},
    {"NearestAllAxes", {2, 3, 2, 2}, {2, 2, 2, 2}, {}, "nearest", "asymmetric", "floor"},
    {"NearestSame", {1, 2, 3, 4}, {1, 1, 1, 1}, {}, "nearest"},
    {"Nearest1D", {7}, {2.5F}, {}, "nearest"},
};

const Case kCases[] = {
    {"Linear2", {1, 2, 3, 5}, {1, 1, 2, 2}, {}, "linear"},
    {"Linear2Nhwc", {1, 3, 5, 6}, {1, 2, 2, 1}, {}, "linear"},
    {"LinearCorners", {2, 1, 4, 5}, {1, 1, 2, 2}, {}, "linear", "align_corners"},
    {"LinearCornersToOne", {1, 1, 4, 5}, {}, {1, 1, 1, 3}, "linear", "align_corners"},
    {"LinearAsymmetric", {1, 1, 4, 5}, {1, 1, 2, 3}, {}, "linear", "asymmetric"},
    {"LinearTf", {1, 1, 4, 5}, {1, 1, 2.5F, 1.6F}, {}, "linear", "tf_half_pixel_for_nn"},
    {"LinearPytorch", {1, 1, 4, 5}, {}, {1, 1, 1, 3}, "linear", "pytorch_half_pixel"},
    {"LinearSymmetric", {1, 1, 4, 4}, {1, 1, 2.3F, 2.94F}, {}, "linear", "half_pixel_symmetric"},
    {"LinearDown", {1, 1, 8, 9}, {1, 1, 0.6F, 0.4F}, {}, "linear"},
    {"LinearOneAxis", {2, 3, 9}, {1, 1, 1.7F}, {}, "linear"},
    {"LinearOneElement", {1, 1, 1, 1}, {1, 1, 4, 3}, {}, "linear"},
    {"LinearThreads", {1, 8, 61, 67}, {1, 1, 1.5F, 1.5F}, {}, "linear"},
    {"Cubic2", {1, 2, 4, 5}, {1, 1, 2, 2}, {}, "cubic"},
    {"CubicKeys", {1, 1, 5, 4}, {1, 1, 1.7F, 0.8F}, {}, "cubic", "half_pixel", "floor", -0.5F},
    {"CubicExclude", {1, 1, 4, 4}, {1, 1, 2, 2}, {}, "cubic", "half_pixel", "floor", -0.5F, true},
    {"CubicCorners", {1, 1, 4, 4}, {1, 1, 2, 0.8F}, {}, "cubic", "align_corners"},
    {"CubicAsymmetric", {1, 1, 4, 4}, {1, 1, 2, 2}, {}, "cubic", "asymmetric"},
    {"CubicNhwc", {1, 4, 5, 3}, {1, 2, 3, 1}, {}, "cubic"},
};

INSTANTIATE_TEST_SUITE_P(Cases, ResizeNearestTest, ::testing::ValuesIn(kNearestCases),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Cases, ResizeTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ResizeReference, ThreeAxesAreLeftToTheReference) {
  const Case c{"Volume", {1, 1, 2, 3, 4}, {1, 1, 2, 2, 2}, {}, "linear"};
  Rng rng(23);
  const KernelCall call = CallOf(c, RandomTensor({DType::kFloat32, c.input}, rng));
  const auto entries = EntriesFor(call);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_TRUE(entries[0]->is_reference);
  EXPECT_TRUE(AllWithin(RunEntry(*entries[0], call)[0], ExactResult(call)[0],
                        ErrorBound{.relative = 0x1p-24}));
}

// Halving with antialias: triangles of twice the width, [1 3 3 1] / 8 and its ends made whole.
TEST(ResizeReference, AntialiasWidensTheFilter) {
  const Case c{"x", {1, 1, 1, 4}, {1, 1, 1, 0.5}, {}, "linear"};
  KernelCall call = CallOf(c, TensorOf(DType::kFloat32, c.input, {1, 2, 3, 4}));
  call.attributes.Set("antialias", std::int64_t{1});
  // Places 0.5 and 2.5; weights 1/8, 3/8, 3/8, 1/8 with the edge repeated.
  EXPECT_TRUE(AllEqual(
      RunSelected(call)[0],
      TensorOf(DType::kFloat32, {1, 1, 1, 2}, {(1 + 3 + 6 + 3) / 8.0, (2 + 9 + 12 + 4) / 8.0})));
}

// The right half of a row, enlarged to reach beyond the source.
TEST(ResizeReference, ARegionIsCutOutAndWhatLiesOutsideIsFilled) {
  for (const char* mode : {"nearest", "linear"}) {
    KernelCall call{.op = OpKind::kResize};
    call.attributes.Set("mode", std::string(mode));
    call.attributes.Set("coordinate_transformation_mode", std::string("tf_crop_and_resize"));
    call.attributes.Set("extrapolation_value", 7.5F);
    call.inputs = {TensorOf(DType::kFloat32, {5}, {1, 2, 3, 4, 5}),
                   TensorOf(DType::kFloat32, {2}, {0.5, 1.25}), std::nullopt,
                   Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{4})};
    call.constant = {false, true, false, true};
    // Places 2, 3, 4, 5.
    EXPECT_TRUE(AllEqual(RunSelected(call)[0], TensorOf(DType::kFloat32, {4}, {3, 4, 5, 7.5})));
  }
}

std::string MessageOf(const KernelCall& call) {
  try {
    RunSelected(call);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Taps for 2^31 places that no element is at took minutes and all memory.
TEST(ResizeEmpty, ALongAxisBesideAnEmptyOneTakesNoTime) {
  constexpr std::int64_t kLong = (std::int64_t{1} << 31) - 1;
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    KernelCall call{
        .op = OpKind::kResize,
        .inputs = {Tensor(DType::kFloat32, {1, 1, 4, 4}), std::nullopt, std::nullopt,
                   Tensor::From<std::int64_t>({4}, std::vector<std::int64_t>{kLong, 3, 1, 0})},
        .constant = {false, false, false, true}};
    call.attributes.Set("mode", std::string(mode));
    for (const KernelEntry* entry : EntriesFor(call)) {
      EXPECT_EQ(RunEntry(*entry, call)[0].shape(), (Shape{kLong, 3, 1, 0})) << entry->name;
    }
  }
}

TEST(ResizeErrors, SayWhatIsNotSupported) {
  const Case c{"x", {1, 1, 2, 2}, {1, 1, 2, 2}, {}, "linear"};
  KernelCall call = CallOf(c, Tensor(DType::kInt32, c.input));
  EXPECT_NE(MessageOf(call).find("resize.any.reference interpolates floating types only"),
            std::string::npos);
  call = CallOf(c, Tensor(DType::kFloat32, c.input));
  call.outputs = OutputTypesOf(call);
  call.constant = {false, false, false, false};
  EXPECT_NE(MessageOf(call).find("scales must be constant"), std::string::npos);
}

TEST(ResizeErrors, UnknownModesAreNamed) {
  Case c{"x", {1, 1, 2, 2}, {1, 1, 2, 2}, {}, "lanczos"};
  EXPECT_EQ(MessageOf(CallOf(c, Tensor(DType::kFloat32, c.input))),
            "Resize: expected mode nearest, linear or cubic, got 'lanczos'");
  c.mode = "linear";
  c.transformation = "corner";
  EXPECT_EQ(MessageOf(CallOf(c, Tensor(DType::kFloat32, c.input))),
            "Resize: expected coordinate_transformation_mode half_pixel, half_pixel_symmetric, "
            "pytorch_half_pixel, tf_half_pixel_for_nn, align_corners, asymmetric or "
            "tf_crop_and_resize, got 'corner'");
}

}  // namespace
}  // namespace halftone::testing
