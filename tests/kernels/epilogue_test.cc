// What kernels of Conv, Gemm and MatMul do behind the sum: every fused function, with and without a
// residual operand, within the bound of kernels/tile/epilogue.h.
#include "kernels/tile/epilogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "src/base/error.h"
#include "src/ir/fusion.h"
#include "src/ir/op_table.h"
#include "tests/kernels/conv_cases.h"
#include "tests/kernels/kernel_test_support.h"

namespace halftone {
namespace {

using testing::AllEqual;
using testing::AllWithin;
using testing::BothLayouts;
using testing::EntriesFor;
using testing::ExactResult;
using testing::KernelCall;
using testing::OutputTypesOf;
using testing::RandomTensor;
using testing::RunEntry;
using testing::TensorOf;

constexpr double kUnit = 0x1p-24;  // of float32
constexpr DType kPrecisions[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

double Gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

enum class Slopes : std::uint8_t { kNone, kOne, kPerChannel };

struct FunctionCase {
  const char* name;
  const char* activation;
  double slope;         // the largest of the function
  double relative = 0;  // own error: relative |act(s)| + per_s |s| + absolute
  double per_s = 0;
  double absolute = 0x1p-126;
  std::optional<float> alpha = {};
  std::optional<float> beta = {};
  const char* form = nullptr;
  Slopes slopes = Slopes::kNone;
};

void PrintTo(const FunctionCase& c, std::ostream* out) {
  *out << c.name;
}

// The numbers of the functions stand in kernels/unary/unary_ops-inl.h and
// kernels/vector_math-inl.h.
const FunctionCase kFunctions[] = {
    {.name = "Nothing", .activation = "", .slope = 1, .absolute = 0},
    {.name = "Relu", .activation = "Relu", .slope = 1, .absolute = 0},
    {.name = "Clip", .activation = "Clip", .slope = 1, .absolute = 0},
    {.name = "Gelu", .activation = "Gelu", .slope = 1.13, .per_s = 4 * kUnit},
    {.name = "GeluTanh", .activation = "Gelu", .slope = 1.13, .per_s = 4 * kUnit, .form = "tanh"},
    {.name = "HardSigmoid",
     .activation = "HardSigmoid",
     .slope = 0.3,
     .relative = kUnit,
     .per_s = kUnit,
     .alpha = 0.3F,
     .beta = 0.4F},
    {.name = "HardSwish", .activation = "HardSwish", .slope = 1.5, .per_s = 3 * kUnit},
    {.name = "LeakyRelu",
     .activation = "LeakyRelu",
     .slope = 1,
     .relative = kUnit,
     .alpha = 0.125F},
    {.name = "LeakyReluSteep",
     .activation = "LeakyRelu",
     .slope = 1.7,
     .relative = kUnit,
     .alpha = -1.7F},
    {.name = "Mish", .activation = "Mish", .slope = 1.09, .relative = 12 * kUnit},
    {.name = "PReluOne",
     .activation = "PRelu",
     .slope = 1.7,
     .relative = kUnit,
     .slopes = Slopes::kOne},
    {.name = "PReluPerChannel",
     .activation = "PRelu",
     .slope = 1.7,
     .relative = kUnit,
     .slopes = Slopes::kPerChannel},
    {.name = "Sigmoid", .activation = "Sigmoid", .slope = 0.25, .relative = 4 * kUnit},
    {.name = "Swish", .activation = "Swish", .slope = 1.1, .relative = 4 * kUnit},
    // |a s| <= 1.702 x 90.
    {.name = "SwishSteep",
     .activation = "Swish",
     .slope = 1.1,
     .relative = 158 * kUnit,
     .alpha = 1.702F},
    {.name = "Tanh", .activation = "Tanh", .slope = 1, .relative = 4 * kUnit},
};

// The first is the one of Slopes::kOne.
constexpr float kSlopes[] = {-1.7F, 0.25F, 0, 1e-30F, 1, 0.01F, -0.5F};

std::optional<StepActivation> ActivationOf(const FunctionCase& c, std::int64_t channels) {
  const OpInfo* info = FindOp(c.activation);
  if (info == nullptr) {
    return std::nullopt;
  }
  StepActivation activation{.op = info->kind, .low = -0.25F, .high = 0.5F};  // of Clip
  activation.alpha = c.alpha;
  activation.beta = c.beta;
  if (c.form != nullptr) {
    activation.approximate = c.form;
  }
  activation.slopes.resize(static_cast<std::size_t>(
      c.slopes == Slopes::kPerChannel ? channels : c.slopes == Slopes::kOne));
  for (std::size_t i = 0; i < activation.slopes.size(); ++i) {
    activation.slopes[i] = kSlopes[i % std::size(kSlopes)];
  }
  return activation;
}

struct Shapes {
  OpKind op;
  Shape x;
  Shape w;
  std::int64_t group = 1;
  bool constant = true;
};

// One of every way to compute them: products of few and many rows, a 1x1, a window, several blocks
// of sums, groups, depthwise, weights that are no constants.
const Shapes kShapes[] = {
    {OpKind::kGemm, {3, 67}, {67, 35}},
    {OpKind::kGemm, {25, 67}, {67, 135}},
    {OpKind::kMatMul, {2, 9, 600}, {600, 33}},
    {OpKind::kMatMul, {2, 9, 7}, {2, 7, 33}, 1, false},
    {OpKind::kMatMul, {4, 7}, {7, 5}, 1, false},
    {OpKind::kMatMul, {3, 7}, {7, 400}, 1, false},
    {OpKind::kConv, {1, 5, 7, 9}, {13, 5, 1, 1}},
    {OpKind::kConv, {1, 60, 6, 6}, {27, 60, 3, 3}},
    {OpKind::kConv, {1, 12, 9, 10}, {18, 4, 3, 3}, 3},
    {OpKind::kConv, {1, 2, 4, 5, 6}, {3, 2, 2, 3, 3}},
    {OpKind::kConv, {1, 19, 9, 21}, {19, 1, 3, 3}, 19},
    {OpKind::kConv, {2, 6, 40}, {8, 6, 5}},
    {OpKind::kConv, {1, 5, 9, 9}, {14, 5, 3, 3}, 1, false},
};

std::int64_t ChannelsOf(const Shapes& shapes) {
  return shapes.op == OpKind::kConv ? shapes.w[0] : shapes.w[shapes.w.rank() - 1];
}

KernelCall CallOf(const Shapes& shapes, ResidualPlace residual, DType dtype, DType result,
                  Rng& rng) {
  KernelCall call;
  call.op = shapes.op;
  if (shapes.op == OpKind::kConv) {
    call.attributes.Set("group", shapes.group);
  }
  call.inputs = {RandomTensor({dtype, shapes.x}, rng), RandomTensor({dtype, shapes.w}, rng),
                 RandomTensor({result, Shape{ChannelsOf(shapes)}}, rng)};
  call.constant = {false, shapes.constant, shapes.constant};
  call.outputs = OutputTypesOf(call);
  call.outputs[0].dtype = result;
  if (residual != ResidualPlace::kNone) {
    call.fusion.residual = residual;
    call.inputs.emplace_back(RandomTensor(call.outputs[0], rng));
  }
  return call;
}

// sum |x w| + |bias| + |residual|.
Tensor Magnitudes(KernelCall call) {
  call.outputs = {{DType::kFloat64, OutputTypesOf(call)[0].shape}};
  for (auto& input : call.inputs) {
    std::vector<double> values = DoublesOf(*input);
    for (double& value : values) {
      value = std::abs(value);
    }
    input = TensorOf(DType::kFloat64, input->shape(), values);
  }
  call.fusion.activation.reset();
  return ExactResult(call)[0];
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Of the sum for elements of at most 1, as the headers of the kernels say. `magnitudes`: those of
// the call; must outlive the bound.
testing::ElementBound BoundOfSum(const KernelEntry& entry, const KernelCall& call,
                                 const Shapes& shapes, const std::vector<double>& magnitudes) {
  const std::int64_t terms = shapes.op == OpKind::kConv ? shapes.w.ElementCount(1, shapes.w.rank())
                                                        : shapes.x[shapes.x.rank() - 1];
  const auto n = static_cast<double>(terms);
  if (Contains(entry.name, "winograd")) {
    return testing::WinogradBound(entry, call, 2);
  }
  const double relative = entry.product.Relative(Gamma(n + 4));
  const double absolute = entry.product.Absolute(n);
  return [relative, absolute, &magnitudes](std::int64_t i, double) {
    return relative * magnitudes[static_cast<std::size_t>(i)] + absolute;
  };
}

// Every entry of the call in every dtype and layout.
void ExpectBound(const FunctionCase& c, const Shapes& shapes, ResidualPlace residual, Rng& rng) {
  for (const DType dtype : kPrecisions) {
    KernelCall plain = CallOf(shapes, residual, dtype, dtype, rng);
    plain.fusion.activation = ActivationOf(c, ChannelsOf(shapes));
    const std::vector<KernelCall> calls =
        shapes.op == OpKind::kConv ? BothLayouts(plain) : std::vector{plain};
    if (std::ranges::none_of(calls, testing::IsTestedHere)) {
      continue;
    }
    // conv_test.cc says that the reference computes the same in both layouts.
    const Tensor plain_exact = ExactResult(plain)[0];
    const Tensor plain_magnitudes = Magnitudes(plain);
    for (const KernelCall& call : calls) {
      const bool last = call.layout.channels_last;
      const Tensor exact = last ? testing::WithChannelsLast(plain_exact) : plain_exact;
      const std::vector<double> magnitudes =
          DoublesOf(last ? testing::WithChannelsLast(plain_magnitudes) : plain_magnitudes);
      for (const KernelEntry* entry : EntriesFor(call)) {
        const testing::ElementBound of_sum = BoundOfSum(*entry, call, shapes, magnitudes);
        const auto bound = [&](std::int64_t i, double y) {
          const double s = magnitudes[static_cast<std::size_t>(i)];
          const double act = std::abs(y) + (residual == ResidualPlace::kAfter ? s : 0);
          return c.slope * of_sum(i, y) + c.relative * act + c.per_s * s + c.absolute +
                 kUnit * std::abs(y);
        };
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact, bound))
            << entry->name << " of " << shapes.x.ToString() << " residual "
            << static_cast<int>(residual);
      }
    }
  }
}

class EpilogueTest : public ::testing::TestWithParam<FunctionCase> {};

TEST_P(EpilogueTest, ErrorBound) {
  Rng rng(20261121);
  for (const Shapes& shapes : kShapes) {
    for (const ResidualPlace residual :
         {ResidualPlace::kNone, ResidualPlace::kBefore, ResidualPlace::kAfter}) {
      ExpectBound(GetParam(), shapes, residual, rng);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, EpilogueTest, ::testing::ValuesIn(kFunctions),
                         [](const auto& suite) { return suite.param.name; });

// Enough work for blocks of columns and of rows: each has the slopes of its own.
TEST(Epilogue, SlopesAreThoseOfTheirChannelsInEveryBlock) {
  const FunctionCase* slopes =
      std::find_if(std::begin(kFunctions), std::end(kFunctions),
                   [](const FunctionCase& c) { return c.slopes == Slopes::kPerChannel; });
  Rng rng(11);
  for (const Shapes& shapes :
       {Shapes{OpKind::kGemm, {40, 200}, {200, 500}}, Shapes{OpKind::kGemm, {200, 100}, {100, 330}},
        Shapes{OpKind::kConv, {1, 24, 20, 21}, {67, 24, 3, 3}}}) {
    ExpectBound(*slopes, shapes, ResidualPlace::kAfter, rng);
  }
}

// Sums of NaN and infinity go through the function as the operator itself has them.
TEST(Epilogue, SpecialValuesAreThoseOfTheFunction) {
  for (const FunctionCase& c : kFunctions) {
    for (const DType dtype : kPrecisions) {
      KernelCall call;
      call.op = OpKind::kConv;
      call.fusion.activation = ActivationOf(c, 2);
      call.inputs = {
          TensorOf(dtype, {1, 1, 1, 6}, {std::nan(""), INFINITY, -INFINITY, -0.0, 0, 8192}),
          TensorOf(dtype, {2, 1, 1, 1}, {1, 1})};
      call.constant = {false, true};
      call.outputs = {{DType::kFloat32, {1, 2, 1, 6}}};
      const Tensor exact = ExactResult(call)[0];
      for (const KernelEntry* entry : EntriesFor(call)) {
        EXPECT_TRUE(AllWithin(RunEntry(*entry, call)[0], exact,
                              testing::ErrorBound{.relative = 20 * kUnit, .absolute = 0x1p-126}))
            << entry->name << " of " << c.name;
      }
    }
  }
}

TEST(Epilogue, ResultDoesNotDependOnThreads) {
  Rng rng(7);
  const auto check = [&](const FunctionCase& c, const Shapes& shapes, DType dtype) {
    KernelCall plain = CallOf(shapes, ResidualPlace::kAfter, dtype, dtype, rng);
    plain.fusion.activation = ActivationOf(c, ChannelsOf(shapes));
    for (const KernelCall& call :
         shapes.op == OpKind::kConv ? BothLayouts(plain) : std::vector{plain}) {
      for (const KernelEntry* entry : EntriesFor(call)) {
        if (!entry->is_reference) {
          EXPECT_TRUE(AllEqual(RunEntry(*entry, call, 3)[0], RunEntry(*entry, call, 1)[0]))
              << entry->name << " of " << c.name;
        }
      }
    }
  };
  for (const FunctionCase& c : kFunctions) {
    if (c.name != std::string("Mish") && c.slopes != Slopes::kPerChannel) {
      continue;
    }
    for (const Shapes& shapes : {Shapes{OpKind::kGemm, {200, 300}, {300, 500}},
                                 Shapes{OpKind::kConv, {1, 24, 28, 28}, {40, 24, 3, 3}}}) {
      for (const DType dtype : kPrecisions) {
        check(c, shapes, dtype);
      }
    }
  }
}

std::string ErrorOf(const StepActivation& activation) {
  const TensorType type{DType::kFloat32, {2, 2}};
  const Attributes attributes;
  const Fusion fusion{.activation = activation};
  const KernelQuery query{.op = OpKind::kGemm,
                          .attributes = &attributes,
                          .fusion = &fusion,
                          .inputs = {&type, &type},
                          .constants = {nullptr, nullptr},
                          .outputs = {&type}};
  try {
    EpilogueOf(query, 2);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Epilogue, RefusesWhatIsNoFusedActivation) {
  EXPECT_EQ(ErrorOf({.op = OpKind::kSoftmax}),
            "fused activation: expected Relu, Clip, PRelu or a function of one operand that is "
            "fused, got Softmax");
  EXPECT_EQ(ErrorOf({.op = OpKind::kGelu}), "");
}

TEST(Epilogue, RefusesSlopesThatAreNotThoseOfTheChannels) {
  EXPECT_EQ(ErrorOf({.op = OpKind::kPRelu}),
            "fused PRelu: expected one slope or one of each of 2 channels, got 0");
  EXPECT_EQ(ErrorOf({.op = OpKind::kPRelu, .slopes = {1, 2, 3}}),
            "fused PRelu: expected one slope or one of each of 2 channels, got 3");
  EXPECT_EQ(ErrorOf({.op = OpKind::kPRelu, .slopes = {1, 2}}), "");
}

}  // namespace
}  // namespace halftone
