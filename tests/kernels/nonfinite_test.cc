#include "kernels/nonfinite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/ir/tensor.h"

namespace halftone {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct NonFiniteCase {
  DType dtype;
  double value;
  bool finite;
};

class FirstNonFiniteTest : public ::testing::TestWithParam<NonFiniteCase> {};

// At every place of lengths around those of vectors, and of the four that are tested at once.
TEST_P(FirstNonFiniteTest, FindsItAnywhere) {
  const auto& [dtype, value, finite] = GetParam();
  for (const std::int64_t count : {1, 5, 16, 31, 64, 131, 260}) {
    for (std::int64_t place = 0; place < count; ++place) {
      Tensor tensor(dtype, Shape{count});
      for (std::int64_t i = 0; i < count; ++i) {
        StoreDouble(dtype, tensor.mutable_data(), i, i % 2 == 0 ? 1 : -2);
      }
      StoreDouble(dtype, tensor.mutable_data(), place, value);
      StoreDouble(dtype, tensor.mutable_data(), count - 1, value);
      EXPECT_EQ(FirstNonFinite(dtype, tensor.data(), count),
                finite ? std::nullopt : std::optional(place))
          << count << " elements";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FirstNonFiniteTest,
    ::testing::Values(
        NonFiniteCase{DType::kFloat32, kInf, false}, NonFiniteCase{DType::kFloat32, -kInf, false},
        NonFiniteCase{DType::kFloat32, kNan, false}, NonFiniteCase{DType::kFloat32, 3.4e38, true},
        NonFiniteCase{DType::kFloat16, kInf, false}, NonFiniteCase{DType::kFloat16, 65504, true},
        NonFiniteCase{DType::kFloat16, kNan, false}, NonFiniteCase{DType::kBFloat16, -kInf, false},
        NonFiniteCase{DType::kBFloat16, 3e38, true}, NonFiniteCase{DType::kFloat64, kNan, false},
        NonFiniteCase{DType::kFloat64, 1e308, true}, NonFiniteCase{DType::kInt64, -1, true},
        NonFiniteCase{DType::kUInt16, 65535, true}));

TEST(FirstNonFiniteTest, NothingIsFinite) {
  EXPECT_EQ(FirstNonFinite(DType::kFloat32, nullptr, 0), std::nullopt);
}

// All 65536 words, in an order and a length that no vector divides.
TEST(SaturateFloat16Test, EveryWord) {
  std::vector<std::uint16_t> words;
  for (std::uint32_t i = 0; i < 65536 + 13; ++i) {
    words.push_back(static_cast<std::uint16_t>(i * 40503U));
  }
  std::vector<std::uint16_t> saturated = words;
  std::int64_t changed = 0;
  const std::int64_t reported =
      SaturateFloat16(saturated.data(), static_cast<std::int64_t>(saturated.size()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float before = Float16{words[i]}.ToFloat();
    const float after = Float16{saturated[i]}.ToFloat();
    if (std::isfinite(before)) {
      ASSERT_EQ(saturated[i], words[i]);
      continue;
    }
    ++changed;
    ASSERT_EQ(after, std::isnan(before) ? 0.0F : std::copysign(kFloat16Max, before));
  }
  EXPECT_EQ(reported, changed);
}

}  // namespace
}  // namespace halftone
