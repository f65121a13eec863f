// What operator tuning found, as `halftone aoe` and `tune` print it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TEST(FormatOperatorTableTest, Golden) {
  OperatorTuningResult result;
  const auto add = [&](std::string signature, std::string kernel, double ratio, double static_s,
                       std::size_t count, bool known) {
    result.operators.push_back({.timing = {.signature = std::move(signature),
                                           .static_kernel = "conv.f32.onednn",
                                           .kernel = std::move(kernel),
                                           .ratio = ratio,
                                           .rounds = 20,
                                           .static_s = static_s},
                                .nodes = std::vector<std::string>(count, "n"),
                                .known = known});
  };
  add("Conv 1x7x7x64: float32 1x7x7x32, const float32 64x32x3x3, const float32 64 -> float16 "
      "1x7x7x64; pads=1; high_precision; 1 thread",
      "conv.f32.highway.channels_last", 0.8, 1e-4, 1, false);
  add("Conv 1x9x9x64: float32 1x9x9x32 -> float32 1x9x9x64; pads=1; high_precision; 1 thread",
      "conv.f32.highway.channels_last", 0.5, 1e-4, 4, true);
  add("Conv 1x5x5x64: float32 1x5x5x32 -> float32 1x5x5x64; pads=1; high_precision; 1 thread",
      "conv.f32.onednn", 1, 1e-4, 1, true);
  result.network = OperatorTiming{.signature = "network 12: x",
                                  .static_kernel = "static order",
                                  .kernel = "operator tuning",
                                  .ratio = 0.8,
                                  .ratio_interval = {0.78, 0.82},
                                  .rounds = 20,
                                  .static_s = 0.0125};
  EXPECT_EQ(
      FormatOperatorTable(result, 300),
      R"(operator                                               count  kernel before    kernel after                    us before  us after  gain     from
Conv: float32 1x9x9x32 -> 1x9x9x64                     4      conv.f32.onednn  conv.f32.highway.channels_last  100.0      50.0      100.00%  bank
Conv: float32 1x7x7x32, 64x32x3x3 -> float16 1x7x7x64  1      conv.f32.onednn  conv.f32.highway.channels_last  100.0      80.0      25.00%   measured
operator tuning: 3 operators with a choice of kernels, 2 known from the bank; 2 faster with another kernel
network: 12.5 ms -> 10.0 ms (25.00%, 95 % interval 21.95% to 28.21%)
)");
  EXPECT_EQ(result.ratio(), 0.8);
  result.network->ratio_interval.high = 1.01;
  EXPECT_THAT(FormatOperatorTable(result), HasSubstr("-0.99% to 28.21%, a tie)\n"));
  EXPECT_EQ(result.ratio(), 1) << "no gain is claimed";
  result.network->ratio = 1.2;
  result.network->ratio_interval = {1.1, 1.3};
  EXPECT_EQ(result.ratio(), 1.2);
  result.dropped = true;
  EXPECT_EQ(result.ratio(), 1);
  EXPECT_THAT(FormatOperatorTable(result), HasSubstr("the static order stays\n"));
  result = {};
  EXPECT_EQ(
      FormatOperatorTable(result, 300),
      "operator tuning: 0 operators with a choice of kernels, 0 known from the bank; 0 faster "
      "with another kernel\n");
}

}  // namespace
}  // namespace halftone
