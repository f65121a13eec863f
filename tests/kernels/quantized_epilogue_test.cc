// QLinearConv and QLinearMatMul with a float32 result, a residual operand and an activation,
// against the formula of kernels/quantized/quantized.h on the sums of ConvInteger and
// MatMulInteger.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quantized/quantized.h"
#include "src/base/error.h"
#include "src/ir/fused_operands.h"
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
using testing::TensorOf;
using testing::WithChannelsLast;
using Ints = std::vector<std::int64_t>;

constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor RandomBytes(DType dtype, Shape shape, Rng& rng) {
  const double low = dtype == kS8 ? -128 : 0;
  return RandomTensor({dtype, std::move(shape)}, rng, low, low + 256);
}

struct Problem {
  const char* name;
  OpKind op;
  Shape a, b;
  std::int64_t group = 1;
};

const Problem kProblems[] = {
    {"Window", OpKind::kQLinearConv, {2, 5, 7, 6}, {17, 5, 3, 3}},
    {"Pointwise", OpKind::kQLinearConv, {1, 12, 5, 7}, {37, 12, 1, 1}},
    {"Grouped", OpKind::kQLinearConv, {1, 12, 6, 5}, {27, 4, 3, 3}, 3},
    {"Depthwise", OpKind::kQLinearConv, {1, 37, 6, 15}, {37, 1, 3, 3}, 37},
    {"DepthwiseBlocks", OpKind::kQLinearConv, {1, 70, 9, 19}, {70, 1, 5, 5}, 70},
    {"SeveralBlocks", OpKind::kQLinearConv, {1, 256, 4, 4}, {33, 256, 3, 3}},
    {"Product", OpKind::kQLinearMatMul, {13, 70}, {70, 45}},
    {"Batches", OpKind::kQLinearMatMul, {3, 5, 9}, {9, 20}},
    {"SixteenColumns", OpKind::kQLinearMatMul, {13, 40}, {40, 48}},
    {"Row", OpKind::kQLinearMatMul, {1, 130}, {130, 33}},
};

struct Step {
  const char* name;
  DType result = kU8;
  std::optional<StepActivation> activation = {};
  ResidualPlace place = ResidualPlace::kNone;
  DType residual = kU8;
};

const StepActivation kRelu{.op = OpKind::kRelu};
const StepActivation kClip{.op = OpKind::kClip, .low = -0.4F, .high = 1.1F};
const StepActivation kAbove{.op = OpKind::kClip, .low = 0.3F, .high = kInfinity};

const Step kSteps[] = {
    {"Float", kF32},
    {"FloatRelu", kF32, kRelu},
    {"FloatResidual", kF32, {}, ResidualPlace::kBefore, kF32},
    {"FloatResidualRelu", kF32, kRelu, ResidualPlace::kBefore, kF32},
    {"FloatClipResidual", kF32, kClip, ResidualPlace::kAfter, kF32},
    {"Relu", kU8, kRelu},
    {"SignedRelu", kS8, kRelu},
    {"Clip", kU8, kClip},
    {"ClipAbove", kU8, kAbove},
    {"Residual", kU8, {}, ResidualPlace::kBefore, kU8},
    {"SignedResidual", kS8, {}, ResidualPlace::kBefore, kS8},
    {"ResidualRelu", kU8, kRelu, ResidualPlace::kBefore, kU8},
    {"SignedResidualClip", kU8, kClip, ResidualPlace::kBefore, kS8},
    {"ReluResidual", kU8, kRelu, ResidualPlace::kAfter, kU8},
    {"ClipSignedResidual", kS8, kClip, ResidualPlace::kAfter, kS8},
};

struct Case {
  Problem problem;
  Step step;
};

std::string NameOfCase(const Case& c) {
  return fmt::format("{}{}", c.problem.name, c.step.name);
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Problem& problem : kProblems) {
    for (const Step& step : kSteps) {
      cases.push_back({problem, step});
    }
  }
  return cases;
}

// The call with channels first, of operands in four combinations of signs.
KernelCall CallOf(const Case& test, DType a, DType b, Rng& rng) {
  const bool conv = test.problem.op == OpKind::kQLinearConv;
  const std::int64_t n = conv ? test.problem.b[0] : test.problem.b.dims().back();
  const std::int64_t k = test.problem.b.ElementCount() / n;
  KernelCall call;
  call.op = test.problem.op;
  if (conv) {
    call.attributes.Set("group", test.problem.group);
    call.attributes.Set("pads", Ints(2 * (test.problem.a.rank() - 2), 1));
  }
  // Results of about +- 2 in steps of 0.01 and more: both ends saturate.
  const double product = 2 / (74.0 * 74.0 * std::sqrt(static_cast<double>(k)));
  call.inputs = {RandomBytes(a, test.problem.a, rng),
                 TensorOf(kF32, {}, {0.02}),
                 RandomBytes(a, {}, rng),
                 RandomBytes(b, test.problem.b, rng),
                 RandomTensor({kF32, {n}}, rng, product / 0.04, product / 0.02),
                 RandomBytes(b, {n}, rng),
                 TensorOf(kF32, {}, {0.013}),
                 RandomBytes(test.step.result == kF32 ? kU8 : test.step.result, {}, rng),
                 RandomTensor({DType::kInt32, {n}}, rng, -9000, 9000)};
  if (test.step.result == kF32) {
    call.inputs[6].reset();
    call.inputs[7].reset();
  }
  call.constant = {false, true, true, true, true, true, true, true, true, false, true, true};
  call.fusion.activation = test.step.activation;
  call.fusion.residual = test.step.place;
  if (test.step.place != ResidualPlace::kNone) {
    const Shape y = testing::OutputTypesOf(call)[0].shape;
    if (test.step.residual == kF32) {
      call.inputs.emplace_back(RandomTensor({kF32, y}, rng, -2, 2));
    } else {
      call.inputs.emplace_back(RandomBytes(test.step.residual, y, rng));
      call.inputs.emplace_back(TensorOf(kF32, {}, {0.017}));
      call.inputs.emplace_back(RandomBytes(test.step.residual, {}, rng));
    }
  }
  return call;
}

// S of the call, without bias.
Tensor SumsOf(const KernelCall& call) {
  KernelCall integer;
  integer.op = call.op == OpKind::kQLinearConv ? OpKind::kConvInteger : OpKind::kMatMulInteger;
  integer.attributes = call.attributes;
  integer.inputs = {call.inputs[0], call.inputs[3], call.inputs[2], call.inputs[5]};
  integer.constant = {false, true, true, true};
  const std::string reference =
      call.op == OpKind::kQLinearConv ? "conv_integer.reference" : "matmul_integer.reference";
  return RunEntry(testing::EntryNamed(reference), integer)[0];
}

float FloatOf(const std::optional<Tensor>& tensor, std::int64_t index) {
  const auto values = tensor->values<float>();
  return values[values.size() == 1 ? 0 : static_cast<std::size_t>(index)];
}

float Bounded(float v, const std::optional<StepActivation>& activation, float scale) {
  if (!activation) {
    return v;
  }
  const bool relu = activation->op == OpKind::kRelu;
  const float low = relu ? 0 : activation->low / scale;
  const float high = relu ? kInfinity : activation->high / scale;
  return std::min(std::max(v, low), high);
}

Tensor Expected(const KernelCall& call) {
  const Tensor sums = SumsOf(call);
  const TensorType y = testing::OutputTypesOf(call)[0];
  const bool conv = call.op == OpKind::kQLinearConv;
  const bool floats = y.dtype == kF32;
  const float y_scale = floats ? 1 : FloatOf(call.inputs[6], 0);
  const std::int64_t n = call.inputs[4]->ElementCount();
  const std::int64_t inner = conv ? y.shape.ElementCount(2, y.shape.rank()) : 1;
  Tensor want(y);
  for (std::int64_t i = 0; i < sums.ElementCount(); ++i) {
    const std::int64_t column = i / inner % n;
    const auto sum =
        static_cast<std::int32_t>(IntegerAt(DType::kInt32, sums.data(), i) +
                                  IntegerAt(DType::kInt32, call.inputs[8]->data(), column));
    const double product = static_cast<double>(FloatOf(call.inputs[1], 0)) *
                           static_cast<double>(FloatOf(call.inputs[4], column));
    float v = static_cast<float>(sum) * static_cast<float>(product / static_cast<double>(y_scale));
    float addend = 0;
    if (call.inputs.size() > kLinearResidualOperand) {
      const Tensor& residual = *call.inputs[kLinearResidualOperand];
      addend = floats
                   ? FloatOf(residual, i)
                   : static_cast<float>(IntegerAt(residual.dtype(), residual.data(), i) -
                                        IntegerAt(residual.dtype(), call.inputs[11]->data(), 0)) *
                         (FloatOf(call.inputs[10], 0) / y_scale);
    }
    v = call.fusion.residual == ResidualPlace::kBefore ? v + addend : v;
    v = Bounded(v, call.fusion.activation, y_scale);
    v = call.fusion.residual == ResidualPlace::kAfter ? v + addend : v;
    if (floats) {
      want.mutable_values<float>()[static_cast<std::size_t>(i)] = v;
      continue;
    }
    const double low = y.dtype == kS8 ? -128 : 0;
    const auto zero = static_cast<double>(IntegerAt(y.dtype, call.inputs[7]->data(), 0));
    StoreDouble(y.dtype, want.mutable_data(), i,
                std::clamp(std::nearbyint(v) + zero, low, low + 255));
  }
  return want;
}

class QuantizedEpilogueTest : public ::testing::TestWithParam<Case> {};

// Every entry, in both layouts.
void ExpectFormula(const KernelCall& call, const std::string& what) {
  const Tensor want = Expected(call);
  const std::vector<KernelCall> layouts =
      call.op == OpKind::kQLinearConv ? BothLayouts(call) : std::vector{call};
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto entries = EntriesFor(layouts[i]);
    for (const KernelEntry* entry : entries) {
      EXPECT_TRUE(
          AllEqual(RunEntry(*entry, layouts[i], 3)[0], i == 1 ? WithChannelsLast(want) : want))
          << entry->name << " " << what;
    }
    if (testing::IsaOfTrapRun() == kIsaAny && (i == 1 || layouts.size() == 1)) {
      EXPECT_FALSE(entries.front()->is_reference);
    }
  }
}

TEST_P(QuantizedEpilogueTest, EveryKernelFollowsTheFormula) {
  Rng rng(27);
  for (const DType a : {kS8, kU8}) {
    for (const DType b : {kS8, kU8}) {
      KernelCall call = CallOf(GetParam(), a, b, rng);
      const std::string signs = fmt::format("{} by {}", NameOf(a), NameOf(b));
      ExpectFormula(call, signs);
      // Weights as plans have them: symmetric.
      call.inputs[5] = Tensor(b, call.inputs[5]->shape());
      ExpectFormula(call, signs + ", symmetric");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quantized, QuantizedEpilogueTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& suite) { return NameOfCase(suite.param); });

TEST(QuantizedEpilogueTest, OtherActivationsAreRefused) {
  Rng rng(28);
  KernelCall call = CallOf({kProblems[5], {"Sigmoid", kU8, StepActivation{.op = OpKind::kSigmoid}}},
                           kU8, kS8, rng);
  for (const KernelEntry* entry : EntriesFor(call)) {
    EXPECT_TRUE(entry->is_reference) << entry->name;
    EXPECT_THROW((void)RunEntry(*entry, call), Error) << entry->name;
  }
}

}  // namespace
}  // namespace halftone
