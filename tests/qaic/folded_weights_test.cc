// Weights that products multiply in Cloud AI's schemas, alone and with BatchNormalization folded
// into them: equal to the model in numpy of scripts/quantization_golden.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/text.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/integer_steps.h"
#include "src/precision/resolve/node_formats.h"
#include "src/qaic/glow_quantization.h"
#include "tests/support/golden_rows.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAreArray;
using testing::GoldenRow;
using testing::GoldenRows;
using testing::Net;

struct Operator {
  const char* name;
  OpKind op;
  Shape input;
  Shape weights;
  std::int64_t group = 1;
  std::int64_t transposed = 0;
};

const std::vector<Operator>& Operators() {
  static const std::vector<Operator> kOperators = {
      {"Conv", OpKind::kConv, {1, 4, 3, 3}, {4, 4, 2, 2}},
      {"Grouped", OpKind::kConv, {1, 4, 3, 3}, {4, 2, 2, 2}, 2},
      {"Depthwise", OpKind::kConv, {1, 4, 3, 3}, {4, 1, 2, 2}, 4},
      {"ConvTranspose", OpKind::kConvTranspose, {1, 4, 3, 3}, {4, 3, 2, 2}},
      {"Gemm", OpKind::kGemm, {2, 6}, {6, 5}},
      {"GemmTransposed", OpKind::kGemm, {2, 6}, {5, 6}, 1, 1},
      {"MatMul", OpKind::kMatMul, {2, 6}, {6, 5}}};
  return kOperators;
}

std::vector<float> Floats(const std::string& list) {
  std::vector<float> numbers;
  for (const std::string_view word : Split(list, ',')) {
    numbers.push_back(std::bit_cast<float>(
        static_cast<std::uint32_t>(std::strtoul(std::string(word).c_str(), nullptr, 16))));
  }
  return numbers;
}

std::vector<int> Integers(const std::string& list) {
  std::vector<int> numbers;
  for (const std::string_view word : Split(list, ',')) {
    numbers.push_back(std::atoi(std::string(word).c_str()));
  }
  return numbers;
}

Tensor Row(const std::vector<float>& numbers) {
  return Tensor::From<float>({static_cast<std::int64_t>(numbers.size())}, numbers);
}

struct FoldedCase {
  Graph graph;
  GlowQuantizationRules rules;

  explicit FoldedCase(GoldenRow& row) {
    const std::string name = row.Word();
    const Operator& op =
        *std::ranges::find_if(Operators(), [&](const Operator& each) { return name == each.name; });
    rules = {.activation_schema = "asymmetric",
             .constant_schema = row.Word(),
             .bias_precision = "Int32",
             .calibration = "None"};
    rules.channelwise = row.Word() == "each";
    rules.rowwise = rules.channelwise;
    const bool normalised = row.Word() == "bn";
    const std::vector<float> weights = Floats(row.Word());
    const std::vector<float> gamma = Floats(row.Word());
    const std::vector<float> variance = Floats(row.Word());
    Net net;
    Attributes attributes;
    if (op.group > 1) {
      attributes.Set("group", op.group);
    }
    if (op.transposed != 0) {
      attributes.Set("transB", op.transposed);
    }
    ValueId last = net.Add(
        op.op, "product",
        {net.Input("x", op.input), net.Constant("w", Tensor::From<float>(op.weights, weights))},
        attributes);
    if (normalised) {
      const std::vector<float> zeros(gamma.size(), 0);
      last = net.Add(OpKind::kBatchNormalization, "bn",
                     {last, net.Constant("gamma", Row(gamma)), net.Constant("beta", Row(zeros)),
                      net.Constant("mean", Row(zeros)), net.Constant("var", Row(variance))});
    }
    graph = net.Finish({last});
  }

  // The integer product that the plan of the quantisation runs.
  [[nodiscard]] IntegerStep Product() const {
    const NodeChoices choices = ChooseNodes(graph, {.quantizes = true});
    ValueProfiles profiles;
    for (std::size_t id = 0; id < graph.values.size(); ++id) {
      if (!graph.values[id].constant) {
        profiles[static_cast<ValueId>(id)] = {-1, 1, {}};
      }
    }
    PrecisionPlan plan = ReferencePlan(graph);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      ApplyFormat(graph, graph.nodes[n], "qint8", plan.nodes[n]);
    }
    plan.quantization = SharedQuantization(GlowQuantization(graph, choices, profiles, rules));
    SharedConstants constants;
    const FusedNetwork fused = FuseByPlan(graph, plan, &constants);
    for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
      const Node& node = fused.graph.nodes[n];
      if (node.parts.at(0) == 0) {
        const auto step =
            IntegerStepOf(fused.graph, node, fused.plan.nodes[n], *plan.quantization, constants);
        return step.value_or(IntegerStep());
      }
    }
    return {};
  }
};

TEST(FoldedWeights, ScalesAndIntegersAreThoseOfTheModelInNumpy) {
  std::map<std::string, int> cases;
  for (GoldenRow row : GoldenRows("folded.txt")) {
    GoldenRow titles = row;
    const std::string name = titles.Word();
    std::string title = name;
    for (int word = 0; word < 3; ++word) {
      title += " " + titles.Word();
    }
    SCOPED_TRACE(title);
    const FoldedCase tested(row);
    const IntegerStep step = tested.Product();
    constexpr std::size_t kWeights = 3;  // of QLinearConv and QLinearMatMul; scale and zero follow
    ASSERT_GT(step.inputs.size(), kWeights + 2);
    const auto integers = std::get<Tensor>(step.inputs[kWeights]).values<std::int8_t>();
    const auto scales = std::get<Tensor>(step.inputs[kWeights + 1]).values<float>();
    const auto zeros = std::get<Tensor>(step.inputs[kWeights + 2]).values<std::int8_t>();
    const std::vector<float> wanted = Floats(row.Word());
    ASSERT_EQ(scales.size(), wanted.size());
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      // Two square roots in double may be a place apart, and with them the weight in float32 and
      // its scale.
      EXPECT_NEAR(scales[c], wanted[c], 4 * 0x1p-24 * wanted[c]);
    }
    EXPECT_THAT(std::vector<int>(zeros.begin(), zeros.end()),
                ElementsAreArray(Integers(row.Word())));
    std::vector<int> sorted(integers.begin(), integers.end());
    std::ranges::sort(sorted);
    EXPECT_THAT(sorted, ElementsAreArray(Integers(row.Word())));
    ++cases[name];
  }
  EXPECT_EQ(cases.size(), Operators().size());
  for (const auto& [op, count] : cases) {
    EXPECT_EQ(count, 4 * 2 * 2) << op;
  }
}

}  // namespace
}  // namespace halftone
