// Plans that a predictor leaves alone until something like them was measured.
#include "search/model/plan_predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"
#include "src/quantization/schemes.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

const NumericFormat kInt8 = *NumericFormat::Named("qint8");

Graph TwoProducts() {
  GraphBuilder net;
  const ValueId x = net.Input("x", {8, 64});
  const ValueId a =
      net.Add(OpKind::kMatMul, "a", {x, net.Constant("wa", Tensor(DType::kFloat32, {64, 64}))});
  return net.Finish(
      {net.Add(OpKind::kMatMul, "b", {a, net.Constant("wb", Tensor(DType::kFloat32, {64, 32}))})});
}

class PlanPredictorTest : public ::testing::Test {
 protected:
  PlanPredictorTest() {
    Sensitivity sensitivity;
    sensitivity.weights = {1};
    for (const DecisionGroup& group : decisions_.groups()) {
      GroupSensitivity& of = sensitivity.groups.emplace_back();
      for (std::size_t c = 0; c < group.choices.size(); ++c) {
        of.choices.push_back({.errors = {c == 0 ? 0 : 1e-6}, .time = c == 0 ? 0.5 : 0.25});
      }
      of.formats[kInt8].errors = {1e-7};
    }
    sensitivity.groups[0].formats[kInt8].rounding.clipped_share = 0.2;
    predictor_.SetSensitivity(std::move(sensitivity));
  }

  static SharedQuantization ScalesOf(const Graph& graph) {
    Quantization quantization;
    for (const Value& value : graph.values) {
      if (!value.constant) {
        quantization.activations[value.name] = ActivationScaleOf({-4, 4});
      }
    }
    return SharedQuantization(quantization);
  }

  // Whether a promising plan has group 0 in 8 bits.
  [[nodiscard]] bool ProposesTheClipped() const {
    const Assignment exact(decisions_.groups().size(), 0);
    for (const Prospect& prospect : predictor_.Promising({&exact, 1}, true, {})) {
      if (IsInt8(prospect.assignment, 0)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool IsInt8(const Assignment& assignment, std::size_t group) const {
    return decisions_.groups()[group].choices[assignment[group]].format == kInt8;
  }

  const Graph graph_ = TwoProducts();
  const TargetSpec target_ = HostTarget();
  const Decisions decisions_{
      graph_, target_, {.formats = {kInt8}, .quantization = ScalesOf(graph_)}};
  PlanPredictor predictor_{decisions_};
};

TEST_F(PlanPredictorTest, ClippedChoicesWaitForAMeasurement) {
  ASSERT_EQ(decisions_.groups().size(), 2U);
  const Assignment plain = decisions_.Uniform({.format = kInt8});
  Assignment second(2, 0);
  second[1] = plain[1];
  EXPECT_TRUE(predictor_.Trusts(second)) << "nothing of it is clipped";
  EXPECT_FALSE(predictor_.Trusts(plain));
  EXPECT_FALSE(ProposesTheClipped());
  Assignment first(2, 0);
  first[0] = plain[0];
  predictor_.Observe({.assignment = first, .measured = {.latency_ratio = 0.8, .loss = 1e-3}});
  EXPECT_TRUE(predictor_.Trusts(plain));
  EXPECT_TRUE(ProposesTheClipped());
}

}  // namespace
}  // namespace halftone
