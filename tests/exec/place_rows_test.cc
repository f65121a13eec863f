// Rows of convolutions in place: the bits of the same network with copies, and the same findings.
#include "src/exec/place_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/cpu_isa.h"
#include "src/base/rng.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Whole numbers from -2 to 2: sums of their products are exact in float32, in any order.
Tensor Random(Shape shape, Rng& rng) {
  std::vector<float> values(static_cast<std::size_t>(shape.ElementCount()));
  for (float& value : values) {
    value = static_cast<float>(rng.Below(5)) - 2.0F;
  }
  return Tensor::From<float>(std::move(shape), values);
}

// Rows of several parts (kFinishedPartBytes) and of one.
constexpr std::int64_t kIn = 16;
constexpr std::int64_t kLeft = 64;
constexpr std::int64_t kRight = 32;
constexpr std::int64_t kHeight = 40;
constexpr std::int64_t kWidth = 44;

struct Net {
  GraphBuilder builder;
  Rng rng{5};
  ValueId x = builder.Input("x", {2, kIn, kHeight, kWidth});

  ValueId Conv(const std::string& name, ValueId from, std::int64_t in, std::int64_t out,
               std::int64_t size, const Fusion& fusion = {}, ValueId residual = kNoValue) {
    const ValueId w = builder.Constant(name + ".w", Random({out, in, size, size}, rng));
    const ValueId b = builder.Constant(name + ".b", Random({out}, rng));
    Attributes attributes;
    attributes.Set("pads", std::vector<std::int64_t>(4, size / 2));
    std::vector<ValueId> inputs{from, w, b};
    if (residual != kNoValue) {
      inputs.push_back(residual);
    }
    return builder.Add(OpKind::kConv, name, inputs, std::move(attributes), 1, fusion);
  }

  ValueId Concat(std::vector<ValueId> parts) {
    Attributes attributes;
    attributes.Set("axis", std::int64_t{1});
    return builder.Add(OpKind::kConcat, "joined", std::move(parts), std::move(attributes));
  }

  Graph Finish(ValueId joined, std::int64_t channels, const std::vector<ValueId>& read_again) {
    std::vector<ValueId> outputs{Conv("reader", joined, channels, 8, 1)};
    for (const ValueId part : read_again) {
      outputs.push_back(builder.Add(OpKind::kNeg, "again" + std::to_string(part), {part}));
    }
    return builder.Finish(outputs);
  }
};

// What a convolution of 3x3 and one of 1x1 do behind their sums.
struct Case {
  const char* name;
  std::optional<OpKind> activation;
  ResidualPlace residual = ResidualPlace::kNone;
};

constexpr Case kCases[] = {
    {"Bare", std::nullopt},
    {"Clamp", OpKind::kRelu},
    {"Function", OpKind::kSigmoid},
    {"Slopes", OpKind::kPRelu},
    {"ResidualThenClamp", OpKind::kRelu, ResidualPlace::kBefore},
    {"FunctionThenResidual", OpKind::kTanh, ResidualPlace::kAfter},
};

Fusion FusionOf(const Case& row, std::int64_t channels) {
  Fusion fusion{.residual = row.residual};
  if (row.activation) {
    fusion.activation = StepActivation{.op = *row.activation};
  }
  if (row.activation == OpKind::kPRelu) {
    fusion.activation->slopes.assign(static_cast<std::size_t>(channels), 0.25F);
  }
  return fusion;
}

// `copies`: other nodes read the parts, too, so that they have a place of their own.
Graph Network(const Case& row, bool copies) {
  Net net;
  const bool adds = row.residual != ResidualPlace::kNone;
  const ValueId before = adds ? net.Conv("before", net.x, kIn, kLeft, 1) : kNoValue;
  const ValueId left =
      net.Conv("left", net.x, kIn, kLeft, 3, FusionOf(row, kLeft), adds ? before : kNoValue);
  const Case plain{row.name, adds ? std::nullopt : row.activation};
  const ValueId right = net.Conv("right", net.x, kIn, kRight, 1, FusionOf(plain, kRight));
  const ValueId joined = net.Concat({left, right});
  return net.Finish(joined, kLeft + kRight,
                    copies ? std::vector<ValueId>{left, right} : std::vector<ValueId>{});
}

PrecisionPlan PlanOf(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), dtype);
    node.outputs.assign(node.outputs.size(), dtype);
  }
  return plan;
}

std::vector<std::string> InPlace(const Executable& executable) {
  std::vector<std::string> names;
  for (const StepInfo& step : executable.steps()) {
    if (step.in_place) {
      names.push_back(step.node);
    }
  }
  return names;
}

// Whether the library has convolutions of the dtype on this CPU.
bool LibraryHas(DType dtype) {
  const IsaMask bf16 = kIsaAvx512 | kIsaAvx512Bf16;
  const IsaMask needed = dtype == DType::kBFloat16 ? bf16 : kIsaAvx2;
  return (DetectIsa() & needed) == needed;
}

class PlaceRowsTest : public ::testing::TestWithParam<std::tuple<Case, DType>> {};

TEST_P(PlaceRowsTest, ResultsAreThoseOfCopies) {
  const auto& [row, dtype] = GetParam();
  const Graph graph = Network(row, false);
  const Graph with_copies = Network(row, true);
  const Executable placed = Compile(graph, PlanOf(graph, dtype));
  const Executable copied = Compile(with_copies, PlanOf(with_copies, dtype));
  EXPECT_THAT(InPlace(copied), IsEmpty());
  if (!LibraryHas(dtype)) {
    GTEST_SKIP() << "oneDNN has no convolutions of " << NameOf(dtype) << " for this CPU";
  }
  EXPECT_THAT(InPlace(placed), ElementsAre("joined"));
  if (row.residual ==
      ResidualPlace::kNone) {  // else the whole lives together with what is added to a part
    EXPECT_LT(placed.peak_arena_bytes(), copied.peak_arena_bytes());
  }
  Rng rng(9);
  Workspace workspace = placed.NewWorkspace();
  for (int run = 0; run < 2; ++run) {  // twice with the same memory
    const Tensor x = Random({2, kIn, kHeight, kWidth}, rng);
    const std::vector<Tensor> inputs = placed.ConvertInputs({&x, 1});
    const std::vector<Tensor> expected = copied.Run(inputs);
    std::vector<Tensor> got = placed.NewOutputs();
    placed.Run(workspace, inputs, got);
    EXPECT_EQ(DoublesOf(got[0]), DoublesOf(expected[0]));
    // Observers see tensors as they are without a place in another.
    std::vector<Tensor> observed = placed.NewOutputs();
    std::vector<double> left;
    placed.RunObserved(workspace, inputs, observed,
                       [&, dtype = dtype](std::size_t step, std::span<void* const> data) {
                         if (placed.steps()[step].node == "left") {
                           for (std::int64_t i = 0; i < 2 * kHeight * kWidth * kLeft; ++i) {
                             left.push_back(DoubleAt(dtype, data[0], i));
                           }
                         }
                       });
    EXPECT_EQ(DoublesOf(observed[0]), DoublesOf(expected[0]));
    std::vector<double> negated;
    const Tensor& again = expected[1];  // Neg of left, channels first
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t pixel = 0; pixel < kHeight * kWidth; ++pixel) {
        for (std::int64_t c = 0; c < kLeft; ++c) {
          negated.push_back(
              -DoubleAt(again.dtype(), again.data(), (n * kLeft + c) * kHeight * kWidth + pixel));
        }
      }
    }
    EXPECT_EQ(left, negated);
  }
}

INSTANTIATE_TEST_SUITE_P(Epilogues, PlaceRowsTest,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(DType::kFloat32, DType::kFloat16,
                                                              DType::kBFloat16)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) + "_" +
                                  std::string(NameOf(std::get<1>(row.param)));
                         });

// The input of the network stands beside what a convolution makes: that alone is copied. So is what
// stands twice.
TEST(PlaceRows, OthersAreCopied) {
  const auto network = [](bool copies) {
    Net net;
    const ValueId left = net.Conv("left", net.x, kIn, kLeft, 3);
    const ValueId twice = net.Conv("twice", net.x, kIn, kRight, 1);
    const ValueId joined = net.Concat({twice, left, net.x, twice});
    return net.Finish(joined, kLeft + 2 * kRight + kIn,
                      copies ? std::vector<ValueId>{left} : std::vector<ValueId>{});
  };
  const Graph graph = network(false);
  const Graph with_copies = network(true);
  const Executable placed = Compile(graph, ReferencePlan(graph));
  const Executable copied = Compile(with_copies, ReferencePlan(with_copies));
  EXPECT_THAT(InPlace(placed), IsEmpty()) << "there is something left to copy";
  if (!LibraryHas(DType::kFloat32)) {
    GTEST_SKIP() << "oneDNN has no convolutions for this CPU";
  }
  EXPECT_LT(placed.peak_arena_bytes(), copied.peak_arena_bytes());
  Rng rng(3);
  const Tensor x = Random({2, kIn, kHeight, kWidth}, rng);
  EXPECT_EQ(DoublesOf(placed.Run({&x, 1})[0]), DoublesOf(copied.Run({&x, 1})[0]));
}

// 16 * 9 products of 40 * 40 and more are beyond float16 in the left part only. On targets that
// saturate, the reader finds the largest number: what the observer changed went back to its place.
TEST(PlaceRows, OverflowIsFoundAndSaturatedInPlace) {
  Net net;
  const ValueId w = net.builder.Constant(
      "w", Tensor::From<float>({kLeft, kIn, 3, 3},
                               std::vector<float>(static_cast<std::size_t>(kLeft * kIn * 9), 40)));
  Attributes pads;
  pads.Set("pads", std::vector<std::int64_t>(4, 1));
  const ValueId left = net.builder.Add(OpKind::kConv, "left", {net.x, w}, pads);
  const ValueId right = net.Conv("right", net.x, kIn, kRight, 1);
  const ValueId joined = net.Concat({left, right});
  const Graph graph = net.builder.Finish({net.builder.Add(OpKind::kAbs, "reader", {joined})});
  PrecisionPlan plan = PlanOf(graph, DType::kFloat16);
  plan.overflow = OverflowArithmetic::kSaturate;
  const Executable executable = Compile(graph, plan);
  if (!LibraryHas(DType::kFloat16)) {
    GTEST_SKIP() << "oneDNN has no convolutions of float16 for this CPU";
  }
  ASSERT_THAT(InPlace(executable), ElementsAre("joined"));
  const Executable reference = Compile(graph, ReferencePlan(graph));
  CheckedRunner runner(graph, executable, [&]() -> const Executable& { return reference; });
  const Tensor sample = Tensor::From<float>(
      {2, kIn, kHeight, kWidth},
      std::vector<float>(static_cast<std::size_t>(2 * kIn * kHeight * kWidth), 40));
  const std::vector<Tensor> outputs = runner.Run({&sample, 1}, "s");
  const OverflowCensus census = runner.census();
  ASSERT_EQ(census.findings.size(), 1U);
  EXPECT_EQ(census.findings[0].node, "left");
  // 16 channels of at least 4 taps of 1600: all pixels, corners too (102,400).
  EXPECT_EQ(census.findings[0].infinities, 2 * kLeft * kHeight * kWidth);
  EXPECT_TRUE(census.findings[0].saturated);
  const std::vector<double> got = DoublesOf(outputs[0]);
  EXPECT_THAT(got, Contains(65504.0));
  EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](double y) { return std::isfinite(y); }));
  EXPECT_EQ(std::count(got.begin(), got.end(), 65504.0), 2 * kLeft * kHeight * kWidth);
}

}  // namespace
}  // namespace halftone
