// Choices that a planted profile rules out: what is left of the decisions.
#include "src/api/tune/slow_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"
#include "src/exec/tunable_steps.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

Graph TwoProducts() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {8, 64});
  const ValueId a = builder.Add(OpKind::kMatMul, "a",
                                {x, builder.Constant("wa", Tensor(DType::kFloat32, {64, 64}))});
  const ValueId soft = builder.Add(OpKind::kSigmoid, "s", {a});
  return builder.Finish({builder.Add(
      OpKind::kMatMul, "b", {soft, builder.Constant("wb", Tensor(DType::kFloat32, {64, 32}))})});
}

class SlowChoicesTest : public ::testing::Test {
 protected:
  // A profile in which a call of each format takes 1 us, those of bfloat16 so many.
  [[nodiscard]] MachineProfile Profile(double bfloat16_us) const {
    OperatorProfile part{.op = "MatMul", .threads = 1, .calls = {}};
    for (const Choice& choice : decisions_.AllChoices()) {
      const PrecisionPlan plan = decisions_.PlanFor(decisions_.Uniform(choice));
      for (const TunableStep& step : TunableSteps(graph_, plan, 1, {}, 1)) {
        if (step.shape) {
          const double us = choice.format == DType::kBFloat16 ? bfloat16_us : 1;
          part.calls.push_back({.shape = *step.shape, .seconds = {{"kernel", 1e-6 * us}}});
        }
      }
    }
    MachineProfile profile;
    profile.Add(std::move(part));
    return profile;
  }

  const Graph graph_ = TwoProducts();
  const TargetSpec target_ = HostTarget();
  const Decisions decisions_{graph_, target_};
};

TEST_F(SlowChoicesTest, AFormatThatIsSlowerIsLeftOut) {
  const auto slow = SlowChoicesOf(decisions_, Profile(2), 1);
  ASSERT_THAT(slow, Not(IsEmpty()));
  std::vector<std::string> steps;
  for (const SlowChoice& choice : slow) {
    EXPECT_EQ(choice.choice.format, DType::kBFloat16);
    EXPECT_NEAR(choice.ratio, 2, 1e-9);
    steps.push_back(choice.step);
  }
  EXPECT_THAT(steps, ::testing::IsSupersetOf({"a", "b"}));
  EXPECT_THAT(steps, Not(::testing::Contains("s"))) << "no profile knows a Sigmoid";

  const Decisions left(graph_, target_, {.slow = slow});
  for (const DecisionGroup& group : left.groups()) {
    if (group.name == "s") {
      EXPECT_THAT(group.choices, ::testing::Contains(Field(&Choice::format, DType::kBFloat16)));
    } else {
      EXPECT_THAT(group.choices, Each(Field(&Choice::format, Not(NumericFormat(DType::kBFloat16)))))
          << group.name;
    }
  }
}

TEST_F(SlowChoicesTest, ALittleSlowerIsWithinWhatCastsCost) {
  EXPECT_THAT(SlowChoicesOf(decisions_, Profile(1.25), 1), IsEmpty());
}

TEST_F(SlowChoicesTest, WithoutAProfileNothingIsKnown) {
  EXPECT_THAT(SlowChoicesOf(decisions_, MachineProfile(), 1), IsEmpty());
}

}  // namespace
}  // namespace halftone
