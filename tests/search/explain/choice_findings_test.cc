#include "search/explain/choice_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using ::testing::IsEmpty;

class ChoiceFindingsTest : public ::testing::Test {
 protected:
  // Every choice but the first saves a tenth of the time, with an error power of 1e-6.
  [[nodiscard]] SearchInsight Probed() const {
    SearchInsight insight;
    insight.groups = {decisions_.groups().begin(), decisions_.groups().end()};
    for (const DecisionGroup& group : insight.groups) {
      GroupSensitivity& probed = insight.sensitivity.groups.emplace_back();
      for (std::size_t c = 0; c < group.choices.size(); ++c) {
        probed.choices.push_back({.errors = {c == 0 ? 0 : 1e-6}, .time = c == 0 ? 0.5 : 0.4});
      }
      for (const NumericFormat format : decisions_.formats()) {
        probed.formats[format].errors = {0};
      }
    }
    return insight;
  }

  Graph graph_ = halftone::testing::ChainNetwork(1);
  TargetSpec target_ = halftone::testing::ChainTarget();
  Decisions decisions_{graph_, target_};
};

TEST_F(ChoiceFindingsTest, SayWhatAChoiceGainsAndWhyAnotherIsNotMade) {
  ASSERT_EQ(decisions_.groups().size(), 2U);
  Assignment assignment(2, 0);
  for (std::size_t c = 0; c < decisions_.groups()[0].choices.size(); ++c) {
    if (decisions_.groups()[0].choices[c].format == DType::kFloat16) {
      assignment[0] = c;
    }
  }
  ASSERT_NE(assignment[0], 0U);
  SearchInsight insight = Probed();
  for (std::size_t c = 1; c < insight.sensitivity.groups[1].choices.size(); ++c) {
    insight.sensitivity.groups[1].choices[c].time = 0.625;
  }
  const auto findings = ChoiceFindings(decisions_, insight, decisions_.PlanFor(assignment));
  EXPECT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings.at("mm0"),
            "it saves 10.0 % of float32's time and alone leaves an SQNR of 60.0 dB");
  EXPECT_THAT(
      findings.at("act0"),
      ::testing::EndsWith(" is not worth it (not faster): it would take 12.5 % of float32's "
                          "time more, casts left out"));

  for (ChoiceSensitivity& choice : insight.sensitivity.groups[0].choices) {
    choice.time = 1 - choice.time;
  }
  EXPECT_EQ(ChoiceFindings(decisions_, insight, decisions_.PlanFor(assignment)).at("mm0"),
            "it takes 10.0 % of float32's time more, casts left out, and alone leaves an SQNR of "
            "60.0 dB");
}

TEST_F(ChoiceFindingsTest, WithoutProbesThereAreNone) {
  EXPECT_THAT(ChoiceFindings(decisions_, {}, decisions_.PlanFor(Assignment(2, 0))), IsEmpty());
}

}  // namespace
}  // namespace halftone
