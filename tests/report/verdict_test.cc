// One verdict: what decides it, and that every report of every example says it.
#include "src/report/verdict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/html_text.h"
#include "src/report/markdown_text.h"
#include "src/report/rejected_groups.h"
#include "src/report/report_tables.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::halftone::testing::AllExampleSummaries;
using ::halftone::testing::ExampleSummary;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TuneSummary SummaryNamed(std::string_view name) {
  for (auto& [of, summary] : AllExampleSummaries()) {
    if (of == name) {
      return std::move(summary);
    }
  }
  ADD_FAILURE() << "no example " << name;
  return {};
}

// The text between `before` and `after`, once in `text`.
std::string Between(const std::string& text, std::string_view before, std::string_view after) {
  const auto at = text.find(before);
  if (at == std::string::npos) {
    return "(nothing)";
  }
  EXPECT_EQ(text.find(before, at + 1), std::string::npos) << before << " stands there twice";
  const auto begin = at + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

// The reason in the one row of `table` that is of `point`.
std::string ReasonOf(const TextTable& table, std::size_t point) {
  std::string reason;
  for (const std::vector<std::string>& row : table.rows) {
    for (const std::string_view number : Split(row[0], ',')) {
      if (Trim(number) == std::to_string(point + 1)) {
        EXPECT_EQ(reason, "") << "point " << point + 1 << " has two rows";
        reason = row[2];
      }
    }
  }
  return reason;
}

// Reasons that differ in figures alone share a row, which says so.
bool SaysOrIsAlike(const std::string& row, const std::string& reason) {
  const auto others = row.find(" (point ");
  if (others == std::string::npos) {
    return row == reason;
  }
  return row.ends_with(", the others with other figures)") &&
         KindOfReason(row.substr(0, others)) == KindOfReason(reason);
}

TEST(VerdictTest, EveryReportSaysTheSame) {
  for (const auto& [name, summary] : AllExampleSummaries()) {
    SCOPED_TRACE(name);
    const Verdict verdict = VerdictOf(summary);
    EXPECT_EQ(summary.outcome.verdict, verdict);
    const std::string label(LabelOf(verdict.kind));
    const std::string kind(NameOf(verdict.kind));
    const std::string console = FormatConsole(summary);
    const std::string markdown = FormatMarkdown(summary);
    const std::string html = FormatHtml(summary);
    const std::string page = html.substr(0, html.find("<script type=\"application/json\""));
    const std::string junit = FormatJUnit(summary);
    const auto outcome = nlohmann::json::parse(FormatFrontJson(summary)).at("outcome");
    EXPECT_EQ(Between(console, "verdict: ", "\n"), label);
    EXPECT_EQ(Between(markdown, "**Verdict: ", ".**"), label);
    EXPECT_EQ(Between(page, "data-verdict=\"", "\""), kind);
    EXPECT_EQ(Between(page, "<h2 id=\"verdict-heading\">Verdict: ", "</h2>"), label);
    EXPECT_EQ(Between(junit, "name=\"verdict_kind\" value=\"", "\""), kind);
    EXPECT_EQ(outcome.at("verdict_kind"), kind);
    EXPECT_EQ(outcome.at("satisfied"), verdict.satisfied);
    EXPECT_EQ(Between(junit, "name=\"a configuration meets the bounds\" time=\"0\"", "</testcase>")
                      .find("<failure") == std::string::npos,
              verdict.satisfied);
    const bool ends_well =
        summary.outcome.end == RunEnd::kDone || summary.outcome.end == RunEnd::kGateFailed;
    EXPECT_EQ(ends_well, verdict.satisfied);

    EXPECT_THAT(console, HasSubstr(Printable(verdict.sentence)));
    EXPECT_THAT(markdown, HasSubstr(MarkdownText(verdict.sentence)));
    EXPECT_THAT(page, HasSubstr(HtmlEscaped(verdict.sentence)));
    EXPECT_EQ(outcome.at("bounds").size(), verdict.bounds.size());
    for (std::size_t i = 0; i < verdict.bounds.size(); ++i) {
      const std::string& found = verdict.bounds[i].sentence;
      EXPECT_THAT(markdown, HasSubstr(MarkdownText(found)));
      EXPECT_THAT(page, HasSubstr(HtmlEscaped(found)));
      EXPECT_THAT(junit, HasSubstr(found));
      EXPECT_EQ(outcome["bounds"][i].at("found"), found);
      EXPECT_EQ(outcome["bounds"][i].at("verdict"), NameOf(verdict.bounds[i].kind));
    }
    EXPECT_EQ(outcome.at("refused").size(), verdict.refused.size());
    EXPECT_EQ(verdict.refused.size(), summary.front.chosen.value_or(summary.front.points.size()))
        << "a reason for each faster point";
    const TextTable reasons = RefusedTable(summary);
    for (std::size_t i = 0; i < verdict.refused.size(); ++i) {
      const RefusedPoint& refused = verdict.refused[i];
      const std::string row = ReasonOf(reasons, refused.point);
      EXPECT_THAT(console,
                  HasSubstr(fmt::format("not point {}: {}\n", refused.point + 1, refused.reason)));
      EXPECT_THAT(markdown, HasSubstr(MarkdownText(row)));
      EXPECT_THAT(page, HasSubstr(HtmlEscaped(row)));
      EXPECT_TRUE(SaysOrIsAlike(row, refused.reason)) << row << "; " << refused.reason;
      EXPECT_THAT(junit, HasSubstr(refused.reason));
      EXPECT_EQ(outcome["refused"][i].at("point"), refused.point + 1);
      EXPECT_EQ(outcome["refused"][i].at("reason"), refused.reason);
    }
  }
}

struct KindCase {
  const char* example;
  VerdictKind kind;
  bool satisfied;
  RunEnd end;  // gates aside
};

TEST(VerdictTest, KindsAndEnds) {
  constexpr KindCase kCases[] = {
      {"example", VerdictKind::kPromised, true, RunEnd::kDone},
      {"discrete", VerdictKind::kNoBound, true, RunEnd::kDone},
      {"undemanding", VerdictKind::kNoBound, true, RunEnd::kDone},
      {"unpromised", VerdictKind::kMetOnSamples, false, RunEnd::kNotPromised},
      {"on_samples", VerdictKind::kMetOnSamples, true, RunEnd::kDone},
      {"refused", VerdictKind::kPromised, true, RunEnd::kDone},
      {"unmet", VerdictKind::kNotMet, false, RunEnd::kNoneMeets},
      {"empty", VerdictKind::kNotMet, false, RunEnd::kNoneMeets},
  };
  for (const KindCase& row : kCases) {
    TuneSummary summary = SummaryNamed(row.example);
    summary.fail_if.clear();
    const Outcome outcome = OutcomeOf(summary);
    EXPECT_EQ(NameOf(outcome.verdict.kind), NameOf(row.kind)) << row.example;
    EXPECT_EQ(outcome.verdict.satisfied, row.satisfied) << row.example;
    EXPECT_EQ(NameOf(outcome.end), NameOf(row.end)) << row.example;
  }
}

// A search of 90 s that had time for `plans`, of which `lowered` lower an operator.
TuneSummary OutOfTime(std::size_t plans, std::size_t lowered) {
  TuneSummary summary = SummaryNamed("example");
  summary.fail_if.clear();
  summary.search.end = SearchEnd::kTime;
  summary.search.distinct_plans = plans;
  summary.search.lowered = lowered;
  summary.search.plan = {.run_s = 3, .runs = 20, .plan_s = 60};
  summary.budget_s = 90;
  return summary;
}

TEST(VerdictTest, ASearchWithoutAPlanBesideFloat32IsNone) {
  for (const auto& [plans, lowered] :
       {std::pair(0U, 0U), std::pair(1U, 0U), std::pair(1U, 1U), std::pair(3U, 0U)}) {
    const Outcome outcome = OutcomeOf(OutOfTime(plans, lowered));
    EXPECT_EQ(NameOf(outcome.end), "nothing_searched") << plans << " " << lowered;
    EXPECT_FALSE(outcome.verdict.satisfied);
    EXPECT_EQ(outcome.verdict.sentence,
              "Nothing could be searched in 90 s: a float32 run takes 3.00 s here, and a plan 20 "
              "runs or 60.0 s; 10 plans need about --budget=25min, or fewer samples.");
  }
  EXPECT_EQ(NameOf(OutcomeOf(OutOfTime(2, 1)).end), "done");
  TuneSummary asked = OutOfTime(1, 0);
  asked.search.end = SearchEnd::kDone;
  EXPECT_EQ(NameOf(OutcomeOf(asked).end), "done") << "--max_trials=1 is what was asked for";
}

TEST(VerdictTest, InterruptedBeforeAPlanThereIsNoVerdictOnBounds) {
  TuneSummary summary = SummaryNamed("example");
  summary.front = {};
  summary.reference.latency_s = 0;
  summary.search.end = SearchEnd::kUser;
  summary.elapsed_s = 12;
  summary.outcome = OutcomeOf(summary);
  EXPECT_EQ(NameOf(summary.outcome.end), "interrupted");
  const std::string console = FormatConsole(summary);
  EXPECT_THAT(console, Not(HasSubstr("not met")));
  EXPECT_THAT(console, Not(HasSubstr("fp32 =")));
  EXPECT_THAT(console, HasSubstr("Interrupted after 12.0 s, before a plan was measured;"));
  summary.search.plan = {.run_s = 3, .runs = 20, .plan_s = 60};
  summary.outcome = OutcomeOf(summary);
  EXPECT_THAT(FormatConsole(summary), HasSubstr("fp32 about 3.00 s"));
  EXPECT_THAT(summary.outcome.verdict.sentence, HasSubstr("a plan 20 runs or 60.0 s"));
}

TEST(VerdictTest, WhereNothingIsFasterItSaysWhy) {
  TuneSummary summary = SummaryNamed("example");
  summary.search.lowered = 5;
  EXPECT_THAT(VerdictOf(summary).sentence, Not(HasSubstr("Nothing is faster")));
  for (FrontPoint& point : summary.front.points) {
    std::get<Measurement>(point.trial.outcome).latency.ratio_interval = {1.1, 1.2};
  }
  EXPECT_THAT(VerdictOf(summary).sentence, HasSubstr("explain --machine"));
  summary.run.format_times = {{"bfloat16", 1.5}, {"int8", 1.25}};
  EXPECT_THAT(
      VerdictOf(summary).sentence,
      HasSubstr("Nothing is faster than float32 here: this CPU has no units that make 8-bit "
                "or 16-bit products faster than float32: bfloat16 takes 1.50 times as "
                "long, int8 takes 1.25 times as long (halftone explain --machine)."));
}

TEST(VerdictTest, SaysWhereTheTimeWent) {
  TuneSummary summary = SummaryNamed("example");
  summary.elapsed_s = 88;
  summary.budget_s = 90;
  summary.phases = {
      {BudgetPhase::kLoading, 2}, {BudgetPhase::kSearch, 85.5}, {BudgetPhase::kReport, 0.5}};
  EXPECT_THAT(FormatConsole(summary),
              HasSubstr("\ntime: 88.0 s of 90 s: loading 2.00 s, search 85.5 s\n"));
  EXPECT_THAT(FormatMarkdown(summary), HasSubstr("report 500 ms"));
  const auto search = nlohmann::json::parse(FormatFrontJson(summary)).at("search");
  EXPECT_EQ(search.at("budget_s"), 90);
  EXPECT_EQ(search.at("phases").at(1).at("phase"), "search");
  EXPECT_EQ(search.at("phases").at(1).at("seconds"), 85.5);
  EXPECT_FALSE(search.at("phases").at(1).contains("runs")) << "the time of a run is not known";
  summary.search.plan.run_s = 0.25;
  EXPECT_THAT(FormatMarkdown(summary), HasSubstr("search 85.5 s = 342 runs"));
  EXPECT_EQ(
      nlohmann::json::parse(FormatFrontJson(summary)).at("search").at("phases").at(1).at("runs"),
      342);
}

TEST(VerdictTest, ABoundThatIsMetOnTheSamplesSaysWhatIsPromised) {
  const Verdict verdict = VerdictOf(SummaryNamed("unpromised"));
  ASSERT_EQ(verdict.bounds.size(), 1U);
  EXPECT_THAT(verdict.bounds[0].sentence,
              HasSubstr("47.5 dB [44.5 dB, 50.5 dB] on the samples of the search, 46.5 dB on "
                        "held-out samples; not promised: the SQNR on new samples is at least "
                        "39.5 dB"));
  EXPECT_THAT(verdict.sentence, HasSubstr("nothing is promised of others"));
  EXPECT_THAT(VerdictOf(SummaryNamed("on_samples")).bounds.at(0).sentence,
              HasSubstr("(--confidence=none)"));
}

TEST(VerdictTest, AFasterPointIsRefusedForAReason) {
  EXPECT_THAT(
      VerdictOf(SummaryNamed("refused")).refused,
      ElementsAre(RefusedPoint{.point = 0,
                               .reason = "SQNR is 38.25 dB, at least 40.00 dB is asked for, on the "
                                         "samples of the search"},
                  RefusedPoint{.point = 1,
                               .reason = "cannot be promised: the SQNR on new samples is at least "
                                         "39.5 dB"}));
  TuneSummary held_out = ExampleSummary();
  std::get<Measurement>(held_out.front.points[0].trial.outcome).accuracy.metrics[0].mean = 41;
  EXPECT_EQ(VerdictOf(held_out).refused.at(0).reason,
            "SQNR is 37.25 dB, at least 40.00 dB is asked for, on held-out samples");
  TuneSummary tied = ExampleSummary();
  tied.constraints.min_sqnr_db = 30;
  tied.front.points[0].trial.outcome = tied.front.points[1].trial.outcome;
  EXPECT_EQ(VerdictOf(tied).refused.at(0).reason,
            "less accurate than the chosen point, which takes as long within 1 %");
}

// Promising the chosen one takes that every more accurate point could be promised.
TEST(VerdictTest, APointBehindAFailedTestIsNotPromised) {
  TuneSummary summary = ExampleSummary();
  std::get<Measurement>(summary.front.points[2].trial.outcome).accuracy.metrics[1].mean = 0;
  const Verdict verdict = VerdictOf(summary);  // point 3 has no certificate
  EXPECT_EQ(verdict.kind, VerdictKind::kMetOnSamples);
  EXPECT_THAT(verdict.bounds.at(0).sentence, HasSubstr("a more accurate point could not be"));
}

TEST(VerdictTest, ALatencyIsPromisedByItsInterval) {
  TuneSummary summary = ExampleSummary();
  summary.constraints = {.max_latency_ratio = 0.77};
  EXPECT_EQ(VerdictOf(summary).kind, VerdictKind::kPromised);
  summary.constraints = {.max_latency_ratio = 0.755};
  const Verdict reaches = VerdictOf(summary);
  EXPECT_EQ(reaches.kind, VerdictKind::kMetOnSamples);
  EXPECT_TRUE(reaches.satisfied) << "no bound on accuracy, no samples that could promise it";
  EXPECT_THAT(reaches.bounds.at(0).sentence, HasSubstr("its interval reaches beyond the bound"));
}

TEST(VerdictTest, APredictedLatencyIsNotPromised) {
  TuneSummary summary = ExampleSummary();
  summary.constraints = {.max_latency_ratio = 0.77};
  Latency& latency =
      std::get<Measurement>(summary.front.points[*summary.front.chosen].trial.outcome).latency;
  latency.candidate_samples_s.clear();
  latency.ratio_interval = {latency.ratio, latency.ratio};
  const Verdict verdict = VerdictOf(summary);
  EXPECT_EQ(verdict.kind, VerdictKind::kMetOnSamples);
  EXPECT_TRUE(verdict.satisfied) << "no bound on accuracy: the prediction is all there is";
  EXPECT_THAT(verdict.bounds.at(0).sentence,
              HasSubstr("of float32, predicted; nothing is promised of a prediction"));
  EXPECT_THAT(verdict.sentence, Not(HasSubstr("Promised")));
}

TEST(VerdictTest, TheDefaultIsJudgedOnHeldOutSamplesToo) {
  const Verdict verdict = VerdictOf(SummaryNamed("undemanding"));
  EXPECT_EQ(verdict.bounds.at(0).kind, VerdictKind::kNotMet);
  EXPECT_EQ(verdict.bounds.at(0).sentence,
            "its worst sample has 28.0 dB on held-out samples; the default asks for 30 dB");
  EXPECT_THAT(verdict.sentence, HasSubstr("the most accurate, as of none the worst sample has 30"));
  TuneSummary summary = ExampleSummary();
  summary.constraints = {};
  EXPECT_EQ(VerdictOf(summary).bounds.at(0).kind, VerdictKind::kMetOnSamples);
  EXPECT_THAT(VerdictOf(summary).sentence, Not(HasSubstr("most accurate")));
  summary.front.points.clear();
  EXPECT_THAT(VerdictOf(summary).bounds, IsEmpty());
}

}  // namespace
}  // namespace halftone
