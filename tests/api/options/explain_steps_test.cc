// What `explain` says of a node whose step runs in another implementation mode than the plan has.
#include "src/api/options/explain_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

NodeOfOtherMode Softmax(const std::string& node) {
  return {.node = node, .planned = "high_performance", .runs = "high_precision", .step = node};
}

TEST(ExplainSteps, TheNoteOfThePlanNamesNodesAndTheirModes) {
  EXPECT_EQ(OtherModesNote({}), "");
  EXPECT_EQ(OtherModesNote({Softmax("a")}),
            "1 node runs in another implementation mode than the plan gives, as a part of fused "
            "steps: a in high_precision; --steps shows all");
  const std::string note = OtherModesNote({Softmax("a"), Softmax("b"), Softmax("c"), Softmax("d")});
  EXPECT_THAT(
      note,
      HasSubstr("4 nodes run in another implementation mode than the plan gives, as parts of"));
  EXPECT_THAT(note, HasSubstr("c in high_precision, ...;"));
  EXPECT_THAT(note, Not(HasSubstr("d in high_precision")));
}

TEST(ExplainSteps, TableAndJsonOfStepsSayWhatRuns) {
  const ExplainedSteps steps{.steps = {{.name = "a",
                                        .op = "Attention",
                                        .nodes = {"a", "b"},
                                        .dtypes = "f16 -> f16",
                                        .implementation = "high_precision"}},
                             .apart = {},
                             .other_modes = {Softmax("a")},
                             .warnings = {}};
  EXPECT_THAT(
      FormatSteps(steps, "table"),
      HasSubstr("mode: a runs in high_precision as part of step a; its own is high_performance\n"));
  EXPECT_THAT(FormatSteps(steps, "json"), HasSubstr(R"("runs_in": "high_precision")"));
}

}  // namespace
}  // namespace halftone
