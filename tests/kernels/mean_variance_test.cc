// The vectors of MeanVarianceNormalization against the specification, within the bound of
// kernels/normalization/normalization.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/index_oracle.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone::testing {
namespace {

constexpr double kU = 0x1p-24;
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

KernelCall CallOf(const Tensor& x, const std::vector<std::int64_t>& axes) {
  KernelCall call{.op = OpKind::kMeanVarianceNormalization, .inputs = {x}};
  call.attributes.Set("axes", axes);
  return call;
}

// The standard deviation of the group of each element, in double.
std::vector<double> DeviationsOf(const Tensor& x, const std::vector<std::int64_t>& axes) {
  const auto mean = [&](const Tensor& of) {
    return ExactResult({.op = OpKind::kReduceMean,
                        .inputs = {of, Tensor::From<std::int64_t>({std::ssize(axes)}, axes)},
                        .constant = {false, true}})[0];
  };
  const auto group = [](const Shape& means, const Position& at) {
    std::int64_t index = 0;
    for (int axis = 0; axis < means.rank(); ++axis) {
      index = index * means[axis] + (means[axis] == 1 ? 0 : at[static_cast<std::size_t>(axis)]);
    }
    return static_cast<std::size_t>(index);
  };
  const Tensor means = mean(x);
  Tensor squares(DType::kFloat64, x.shape());
  std::vector<std::size_t> groups;
  for (std::int64_t i = 0; i < x.ElementCount(); ++i) {
    groups.push_back(group(means.shape(), PositionAt(x.shape(), i)));
    const double v = DoubleAt(x.dtype(), x.data(), i) - means.values<double>()[groups.back()];
    StoreDouble(DType::kFloat64, squares.mutable_data(), i, v * v);
  }
  const Tensor variances = mean(squares);
  std::vector<double> deviations;
  for (const std::size_t of : groups) {
    deviations.push_back(std::sqrt(variances.values<double>()[of]));
  }
  return deviations;
}

// `most`: of |x|.
void ExpectWithinBound(const KernelCall& call, double length, double most) {
  const Tensor exact = ExactResult(call)[0];
  const auto deviations = DeviationsOf(*call.inputs[0], call.attributes.Ints("axes", {}));
  const double doubles = 2 * (length + 6) * 0x1p-53;  // of the specification, too
  const auto bound = [&](std::int64_t i, double y) {
    const double deviation = deviations[static_cast<std::size_t>(i)] + 1e-9;
    return kU * std::abs(y) + doubles * (std::abs(y) + most / deviation) + 0x1p-149;
  };
  for (const KernelEntry* entry : EntriesFor(call)) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(AllWithin(RunEntry(*entry, call, threads)[0], exact, bound))
          << entry->name << " of " << call.inputs[0]->shape().ToString();
    }
  }
}

TEST(MeanVarianceTest, ErrorBound) {
  Rng rng(43);

  struct ShapeCase {
    Shape shape;
    std::vector<std::int64_t> axes;
  };

  const ShapeCase cases[] = {
      {{2, 3, 5, 7}, {0, 2, 3}}, {{1, 4, 33, 9}, {0, 2, 3}}, {{3, 5, 2, 67}, {1}},
      {{3, 5, 2, 67}, {0, 2}},   {{3, 5, 2, 67}, {-1}},      {{3, 5, 2, 67}, {0, 3}},
      {{9, 1000}, {1}},          {{40, 130}, {0}},           {{4, 3, 1}, {0, 1}},
      {{2, 0, 3}, {1}},          {{2, 3, 0}, {1}},           {{5, 6}, {0, 1}},
  };
  for (const ShapeCase& c : cases) {
    double length = 1;
    for (const std::int64_t axis : c.axes) {
      length *=
          static_cast<double>(c.shape[static_cast<int>((axis + c.shape.rank()) % c.shape.rank())]);
    }
    for (const DType dtype : kPrecisions) {
      ExpectWithinBound(CallOf(RandomTensor({dtype, c.shape}, rng, 2, 6), c.axes), length, 6);
    }
  }
}

// Elements that are all the same stay 0, however large: nothing is multiplied by 1e9 first.
TEST(MeanVarianceTest, EqualElementsAreZero) {
  for (const double value : {0.0, 3.0, -1e30}) {
    for (const std::int64_t axis : {0, 1}) {
      const Tensor x =
          TensorOf(DType::kFloat32, {16, 32}, std::vector<double>(16 * std::size_t{32}, value));
      const KernelCall call = CallOf(x, {axis});
      for (const KernelEntry* entry : EntriesFor(call)) {
        const Tensor y = RunEntry(*entry, call)[0];
        for (const float element : y.values<float>()) {
          EXPECT_EQ(element, 0) << entry->name;
        }
      }
    }
  }
}

TEST(MeanVarianceTest, SpecialValuesStayInTheirGroup) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : kPrecisions) {
    std::vector<double> values;
    for (int i = 0; i < 5 * 35; ++i) {
      values.push_back(i % 7);
    }
    values[3] = infinity;
    values[38] = std::nan("");
    values[80] = -infinity;
    for (const std::int64_t axis : {0, 1}) {
      const KernelCall call = CallOf(TensorOf(dtype, {5, 35}, values), {axis});
      ExpectWithinBound(call, 35, 6);
      EXPECT_EQ(EntriesFor(call)[0]->name, "normalization.mean_variance.vector");
    }
  }
}

}  // namespace
}  // namespace halftone::testing
