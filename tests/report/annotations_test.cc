#include "src/report/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleSummary;
using ::testing::ElementsAre;
using ::testing::Field;

std::string Lines(std::vector<Annotation> annotations, std::string_view style) {
  return FormatAnnotations(std::move(annotations), AnnotationStyleNamed(style));
}

// The sequences are those that GitHub's documentation of workflow commands gives.
TEST(AnnotationsTest, GitHubReadsFieldsInPercentCode) {
  EXPECT_EQ(Lines({{Severity::kNotice, "a: b, c", "50 % done: yes, really"}}, "github"),
            "::notice title=a%3A b%2C c::50 %25 done: yes, really\n");
  EXPECT_EQ(Lines({{Severity::kError, "gate", "two\nlines \x1b[31m"}}, "github"),
            "::error title=gate::two\\nlines \\x1b[31m\n");
}

TEST(AnnotationsTest, GitLabShowsColours) {
  EXPECT_EQ(Lines({{Severity::kWarning, "tune", "met"}}, "gitlab"),
            "\x1b[1;33mWARNING: tune\x1b[0m: met\n");
}

TEST(AnnotationsTest, ErrorsComeFirst) {
  EXPECT_EQ(Lines({{Severity::kNotice, "n", "1"},
                   {Severity::kError, "e", "2"},
                   {Severity::kWarning, "w", "3"},
                   {Severity::kError, "e", "4"}},
                  "github"),
            "::error title=e::2\n::error title=e::4\n::warning title=w::3\n::notice title=n::1\n");
}

TEST(AnnotationsTest, AnUnknownStyleIsRefused) {
  try {
    AnnotationStyleNamed("jenkins");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--annotations=jenkins: expected one of github, gitlab");
  }
}

TEST(AnnotationsTest, ARunGivesItsVerdictAndTheGatesThatFailed) {
  TuneSummary summary = ExampleSummary();
  summary.fail_if = {ParseGate("sqnr_db<47"), ParseGate("speed_up<1")};
  summary.outcome = OutcomeOf(summary);
  const Verdict& verdict = summary.outcome.verdict;
  EXPECT_THAT(AnnotationsOf(summary),
              ElementsAre(Field(&Annotation::title, "halftone tune: gate sqnr_db<47"),
                          Field(&Annotation::message, verdict.sentence)));
  EXPECT_EQ(AnnotationsOf(summary)[0].message,
            "expected sqnr_db of at least 47, found 46.5 on held-out samples, point 2: "
            "allow_mix_precision, keep conv1");
  summary.constraints.min_sqnr_db = 100;
  summary.outcome = OutcomeOf(summary);
  EXPECT_EQ(AnnotationsOf(summary)[1].severity, Severity::kError);
}

// Who asks for no promise is not warned that there is none.
TEST(AnnotationsTest, ABoundMetOnTheSamplesIsAWarningWhereAPromiseWasAskedFor) {
  for (const auto& [name, summary] : testing::AllExampleSummaries()) {
    if (name == "unpromised") {
      EXPECT_EQ(AnnotationsOf(summary).back().severity, Severity::kError);
    } else if (name == "on_samples") {
      EXPECT_EQ(summary.outcome.verdict.kind, VerdictKind::kMetOnSamples);
      EXPECT_EQ(AnnotationsOf(summary).back().severity, Severity::kNotice);
    }
  }
}

}  // namespace
}  // namespace halftone
