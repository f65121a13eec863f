// ConvInteger and QLinearConv against the float64 convolution of the differences, which is exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/quantized/quantized.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/traps/instruction_traps.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::KernelCall;
using testing::RandomTensor;
using testing::RunEntry;
using testing::RunSelected;
using testing::TensorOf;
using testing::WithChannelsLast;
using Ints = std::vector<std::int64_t>;

constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

double LowestOf(DType dtype) {
  return dtype == kS8 ? -128 : 0;
}

Tensor RandomBytes(DType dtype, Shape shape, Rng& rng) {
  const double low = LowestOf(dtype);
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

struct ConvCase {
  const char* name;
  Shape x;
  Shape w;
  Attributes attributes;
};

Attributes With(std::initializer_list<std::pair<const char*, Attribute>> items) {
  Attributes attributes;
  for (const auto& [name, value] : items) {
    attributes.Set(name, value);
  }
  return attributes;
}

// Scales and zero points: of x and w, per channel or one.
struct Types {
  DType x = kU8;
  DType w = kS8;
  DType y = kU8;
  bool zeros = true;
  bool per_channel = false;
};

KernelCall IntegerCall(const ConvCase& test, const Types& types, Rng& rng) {
  KernelCall call;
  call.op = OpKind::kConvInteger;
  call.attributes = test.attributes;
  call.inputs = {RandomBytes(types.x, test.x, rng), RandomBytes(types.w, test.w, rng), std::nullopt,
                 std::nullopt};
  if (types.zeros) {
    call.inputs[2] = RandomBytes(types.x, {}, rng);
    call.inputs[3] = RandomBytes(types.w, types.per_channel ? Shape{test.w[0]} : Shape{}, rng);
  }
  call.constant = {false, true, true, true};
  return call;
}

// x - zero in double, the zero one or one for each index of the first axis.
Tensor Difference(const Tensor& x, const std::optional<Tensor>& zero) {
  Tensor result = Convert(x, DType::kFloat64);
  const std::int64_t row = x.ElementCount() / std::max<std::int64_t>(x.shape()[0], 1);
  for (std::int64_t i = 0; zero && i < x.ElementCount(); ++i) {
    const std::int64_t at = zero->ElementCount() == 1 ? 0 : i / row;
    result.mutable_values<double>()[static_cast<std::size_t>(i)] -=
        static_cast<double>(IntegerAt(zero->dtype(), zero->data(), at));
  }
  return result;
}

// Of the call with channels first.
Tensor Sums(const KernelCall& call) {
  KernelCall floats;
  floats.op = OpKind::kConv;
  floats.attributes = call.attributes;
  floats.inputs = {Difference(*call.inputs[0], call.inputs[2]),
                   Difference(*call.inputs[1], call.inputs[3])};
  return Convert(RunSelected(floats)[0], DType::kInt32);
}

// Every entry, in both layouts.
void ExpectResult(const KernelCall& call, const Tensor& want, const std::string& what) {
  const std::vector<KernelCall> layouts = BothLayouts(call);
  for (const KernelCall& each : layouts) {
    const bool last = layouts.size() > 1 && &each == &layouts[1];
    for (const KernelEntry* entry : EntriesFor(each)) {
      EXPECT_TRUE(AllEqual(RunEntry(*entry, each)[0], last ? WithChannelsLast(want) : want))
          << entry->name << " " << what;
    }
  }
}

const ConvCase kCases[] = {
    {"Pointwise", {2, 8, 5, 6}, {9, 8, 1, 1}, {}},
    {"PointwiseOddChannels", {1, 7, 5, 6}, {33, 7, 1, 1}, {}},
    {"Window", {1, 5, 7, 6}, {17, 5, 3, 3}, With({{"pads", Ints{1, 1, 1, 1}}})},
    {"Strided", {2, 3, 9, 8}, {35, 3, 3, 2}, With({{"strides", Ints{2, 3}}})},
    {"Dilated",
     {1, 4, 9, 9},
     {8, 4, 3, 3},
     With({{"dilations", Ints{2, 3}}, {"pads", Ints{2, 0, 1, 3}}})},
    {"MorePaddingThanInput", {1, 4, 2, 1}, {8, 4, 3, 3}, With({{"pads", Ints{3, 2, 3, 2}}})},
    {"Grouped",
     {1, 12, 6, 5},
     {27, 4, 3, 3},
     With({{"group", std::int64_t{3}}, {"pads", Ints{1, 1, 1, 1}}})},
    {"GroupsOfFewChannels", {1, 6, 6, 5}, {6, 2, 3, 3}, With({{"group", std::int64_t{3}}})},
    {"Depthwise",
     {2, 37, 6, 15},
     {37, 1, 3, 3},
     With({{"group", std::int64_t{37}}, {"pads", Ints{1, 1, 1, 1}}})},
    {"DepthwiseStrided",
     {1, 33, 9, 8},
     {33, 1, 5, 3},
     With({{"group", std::int64_t{33}}, {"pads", Ints{2, 1, 2, 1}}, {"strides", Ints{2, 2}}})},
    {"DepthwiseWide",
     {1, 130, 11, 13},
     {130, 1, 3, 3},
     With({{"group", std::int64_t{130}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}})},
    {"Depthwise5x5",
     {2, 64, 7, 10},
     {64, 1, 5, 5},
     With({{"group", std::int64_t{64}}, {"pads", Ints{2, 2, 2, 2}}})},
    {"Depthwise5x5Strided",
     {1, 65, 9, 10},
     {65, 1, 5, 5},
     With({{"group", std::int64_t{65}}, {"pads", Ints{2, 2, 2, 2}}, {"strides", Ints{2, 2}}})},
    {"Depthwise7x2",
     {1, 40, 9, 10},
     {40, 1, 7, 2},
     With({{"group", std::int64_t{40}}, {"pads", Ints{3, 0, 3, 1}}, {"strides", Ints{1, 3}}})},
    {"DepthwiseMorePadding",
     {1, 40, 2, 1},
     {40, 1, 3, 3},
     With({{"group", std::int64_t{40}}, {"pads", Ints{3, 2, 3, 2}}})},
    {"Line", {1, 6, 11}, {9, 6, 3}, With({{"pads", Ints{1, 1}}})},
    {"Volume", {1, 2, 3, 4, 5}, {3, 2, 2, 2, 2}, {}},
    // K = 2304: more than one block of 2048.
    {"SeveralBlocks", {1, 256, 4, 4}, {33, 256, 3, 3}, With({{"pads", Ints{1, 1, 1, 1}}})},
    // Rows of 2 KiB, which are copied although they could be read in place.
    {"PointwiseManyChannels", {1, 2048, 3, 5}, {5, 2048, 1, 1}, {}},
    {"NoImages", {0, 4, 5, 5}, {8, 4, 3, 3}, {}},
};

class QuantizedConvTest : public ::testing::TestWithParam<ConvCase> {};

TEST_P(QuantizedConvTest, SumsAreExact) {
  Rng rng(20261121);
  for (const DType x : {kS8, kU8}) {
    for (const DType w : {kS8, kU8}) {
      for (const bool zeros : {false, true}) {
        for (const bool per_channel : {false, true}) {
          const KernelCall call = IntegerCall(
              GetParam(), {.x = x, .w = w, .zeros = zeros, .per_channel = per_channel}, rng);
          ExpectResult(call, Sums(call), fmt::format("{} by {}", NameOf(x), NameOf(w)));
        }
      }
    }
  }
}

TEST_P(QuantizedConvTest, ResultsAreRoundedOnce) {
  Rng rng(8);
  for (const Types& types :
       {Types{}, Types{.x = kS8, .w = kS8, .y = kS8, .per_channel = true},
        Types{.x = kS8, .w = kU8, .y = kU8}, Types{.x = kU8, .w = kU8, .y = kS8, .zeros = true}}) {
    const KernelCall integer = IntegerCall(GetParam(), types, rng);
    const std::int64_t channels = GetParam().w[0];
    const auto k = static_cast<double>(GetParam().w.ElementCount(1, GetParam().w.rank()));
    const auto scales = [&](const Shape& shape) {
      return RandomTensor({DType::kFloat32, shape}, rng, 0.001, 0.02);
    };
    KernelCall call;
    call.op = OpKind::kQLinearConv;
    call.attributes = integer.attributes;
    call.inputs = {integer.inputs[0],
                   scales({}),
                   integer.inputs[2],
                   integer.inputs[1],
                   scales(types.per_channel ? Shape{channels} : Shape{}),
                   integer.inputs[3],
                   TensorOf(DType::kFloat32, {}, {1e-4 * 74 * std::sqrt(k)}),
                   RandomBytes(types.y, {}, rng),
                   RandomTensor({DType::kInt32, {channels}}, rng, -20000, 20000)};
    call.constant = std::vector<bool>(9, true);
    call.constant[0] = false;
    Tensor want(types.y, Shape(Sums(integer).shape()));
    const Tensor sums = Sums(integer);
    const std::int64_t pixels = sums.shape().ElementCount(2, sums.shape().rank());
    for (std::int64_t i = 0; i < sums.ElementCount(); ++i) {
      const std::int64_t channel = i / pixels % channels;
      const auto scale = [&](std::size_t input) {
        const auto values = call.inputs[input]->values<float>();
        return static_cast<double>(
            values[values.size() == 1 ? 0 : static_cast<std::size_t>(channel)]);
      };
      const std::int64_t sum = IntegerAt(DType::kInt32, sums.data(), i) +
                               IntegerAt(DType::kInt32, call.inputs[8]->data(), channel);
      const auto factor = static_cast<float>(scale(1) * scale(4) / scale(6));
      const double low = LowestOf(types.y);
      StoreDouble(types.y, want.mutable_data(), i,
                  std::clamp(std::nearbyint(static_cast<float>(sum) * factor) +
                                 static_cast<double>(IntegerAt(types.y, call.inputs[7]->data(), 0)),
                             low, low + 255));
    }
    ExpectResult(call, want, fmt::format("{} to {}", NameOf(types.x), NameOf(types.y)));
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QuantizedConvTest, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

// The fast kernels serve what they are there for.
TEST(QuantizedConvTest, ChannelsLastHasFastKernels) {
  if (testing::IsaOfTrapRun() != kIsaAny) {
    GTEST_SKIP() << "of all kernels together";
  }
  Rng rng(9);
  for (const ConvCase& test : kCases) {
    const std::string name = test.name;
    const KernelCall call = BothLayouts(IntegerCall(test, {}, rng)).back();
    const bool slow = name == "GroupsOfFewChannels" || name == "Volume";
    EXPECT_EQ(EntriesFor(call).front()->is_reference, slow) << name;
  }
}

TEST(QuantizedConvTest, ResultDoesNotDependOnThreads) {
  Rng rng(10);
  const ConvCase cases[] = {
      {"Window", {1, 64, 40, 40}, {70, 64, 3, 3}, {}},
      {"Depthwise", {1, 96, 60, 60}, {96, 1, 3, 3}, With({{"group", std::int64_t{96}}})}};
  for (const ConvCase& test : cases) {
    const KernelCall call = BothLayouts(IntegerCall(test, {.per_channel = true}, rng)).back();
    for (const KernelEntry* entry : EntriesFor(call)) {
      if (!entry->is_reference) {
        EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
            << entry->name;
      }
    }
  }
}

}  // namespace
}  // namespace halftone
