#include "src/report/formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/base/text.h"
#include "src/report/front_rows.h"
#include "src/report/html_text.h"
#include "src/report/page_files.h"
#include "src/report/report_tables.h"
#include "tests/support/example_summary.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::halftone::testing::AllExampleSummaries;
using ::halftone::testing::ExampleSummary;
using ::halftone::testing::HostileSummary;
using ::halftone::testing::LargeSummary;
using ::halftone::testing::MatchesGolden;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The page without its style sheet, scripts and their hashes, which are files of their own.
std::string WithoutPageFiles(std::string text) {
  for (const EmbeddedText& file : PageFiles()) {
    for (const std::string& part : {std::string(file.text), PolicyHash(file.sha256)}) {
      if (const auto at = text.find(part); at != std::string::npos) {
        text.replace(at, part.size(), fmt::format("[{}]", file.name));
      }
    }
  }
  return text;
}

TEST(FormatsTest, GoldenTexts) {
  const TuneSummary summary = ExampleSummary();
  EXPECT_TRUE(MatchesGolden(FormatConsole(summary), "report/console.txt"));
  EXPECT_TRUE(
      MatchesGolden(FormatConsole(summary, {.colored = true}), "report/console_colored.txt"));
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      EXPECT_TRUE(MatchesGolden(WithoutPageFiles(format.format(summary)),
                                "report/" + std::string(format.file_name)));
    }
  }
}

// Boxes, masks and images are no classes.
TEST(FormatsTest, TopOneIsLeftOutWhereOutputsAreNoClasses) {
  TuneSummary summary = ExampleSummary();
  EXPECT_THAT(FormatConsole(summary), HasSubstr("top-1"));
  summary.run.shows_classes = false;
  EXPECT_THAT(FormatConsole(summary), ::testing::Not(HasSubstr("top-1")));
  EXPECT_THAT(FormatMarkdown(summary), ::testing::Not(HasSubstr("- Top-1:")));
  const TextTable table = FrontTable(summary);
  for (const std::vector<std::string>& row : table.rows) {
    EXPECT_EQ(row.size(), table.header.size());
  }
}

// Operators that would save most first, by cause; warnings once.
TEST(FormatsTest, LongListsAreSortedAndGrouped) {
  const TuneSummary summary = LargeSummary();
  const std::vector<KeptGroup> groups = KeptByCause(summary);
  ASSERT_EQ(groups.size(), 3U);
  std::size_t count = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    EXPECT_TRUE(g == 0 || groups[g].saved_time <= groups[g - 1].saved_time);
    double sum = 0;
    double last = 1;
    for (const KeptOperator* kept : groups[g].operators) {
      const double price = kept->refusal.empty() ? kept->saved_time : 0;
      EXPECT_EQ(kept->cause, groups[g].cause);
      EXPECT_LE(price, last);
      last = price;
      sum += price;
    }
    EXPECT_DOUBLE_EQ(sum, groups[g].saved_time);
    count += groups[g].operators.size();
    EXPECT_THAT(FormatHtml(summary), HasSubstr(Describe(groups[g], summary)));
  }
  EXPECT_EQ(count, summary.insight.kept.size());
  EXPECT_THAT(WarningsOnce(summary),
              ElementsAre("one that repeats (3 times)", "another", "a third"));
  for (const std::string& text :
       {FormatConsole(summary), FormatMarkdown(summary), FormatHtml(summary)}) {
    const auto first = text.find("one that repeats (3 times)");
    ASSERT_NE(first, std::string::npos);
  }
}

// Four faster points miss the bound by different figures: one row.
TEST(FormatsTest, OneReasonStandsOnce) {
  const TuneSummary summary = LargeSummary();
  ASSERT_GT(summary.outcome.verdict.refused.size(), 2U);
  const TextTable table = RefusedTable(summary);
  EXPECT_LT(table.rows.size(), summary.outcome.verdict.refused.size());
  std::size_t points = 0;
  for (const std::vector<std::string>& row : table.rows) {
    points += Split(row[0], ',').size();
  }
  EXPECT_EQ(points, summary.outcome.verdict.refused.size());
}

TEST(FormatsTest, LatencyOfAnotherTargetIsPredicted) {
  TuneSummary summary = ExampleSummary();
  EXPECT_EQ(LatencyNote("host"), "");
  summary.run.target = "Ascend310P3";
  for (const auto& text : {FormatConsole(summary), FormatMarkdown(summary)}) {
    EXPECT_THAT(
        text,
        HasSubstr("latency: predicted for Ascend310P3, not measured; accuracy: computed on the "
                  "host in the dtypes that Ascend310P3 would use"));
  }
  EXPECT_THAT(FormatFrontCsv(summary), HasSubstr(",Ascend310P3,nothing: predicted,"));
  const auto target = nlohmann::json::parse(FormatFrontJson(summary)).at("target");
  EXPECT_EQ(target.at("soc_version"), "Ascend310P3");
  EXPECT_EQ(target.at("latency_measured_on"), "nothing: predicted");
}

TEST(FormatsTest, SaysThatNothingMeetsTheConstraints) {
  TuneSummary summary = ExampleSummary();
  summary.front.chosen.reset();
  summary.constraints.max_latency_ratio = 0.1;
  summary.front.nearest = {1, 0};
  summary.run.heldout_count = 8;
  EXPECT_EQ(
      VerdictOf(summary).sentence,
      "No configuration meets an SQNR of at least 40 dB, a latency ratio of at most 0.1 with 95 % "
      "confidence. Nearest: point 2 (1.333x [1.316, 1.351] the speed of fp32): latency is "
      "0.750 of float32, at most 0.100 is asked for; point 1 (2.000x [1.961, 2.041] the speed "
      "of fp32): SQNR is 38.25 dB, at least 40.00 dB is asked for, on the samples of the search.");
  summary.front.points.clear();
  EXPECT_EQ(VerdictOf(summary).sentence, "No configuration could be measured.");
}

TEST(FormatsTest, SaysThatKeptOperatorsAreNotExplained) {
  TuneSummary summary = ExampleSummary();
  const std::string sentence = "2 operators are kept in float32. The reasons are not known";
  summary.front.points.at(summary.front.chosen.value()).trial.kept_nodes = {"conv1", "gemm"};
  for (auto* const format : {FormatMarkdown, FormatHtml}) {
    EXPECT_THAT(format(summary), Not(HasSubstr(sentence)));
  }
  summary.insight.kept.clear();
  for (auto* const format : {FormatMarkdown, FormatHtml}) {
    EXPECT_THAT(format(summary), HasSubstr(sentence));
  }
  summary.front.points.at(*summary.front.chosen).trial.kept_nodes.clear();
  for (auto* const format : {FormatMarkdown, FormatHtml}) {
    EXPECT_THAT(format(summary), Not(HasSubstr("The reasons are not known")));
  }
}

TEST(FormatsTest, AMetricStandsBesideItsHeldOutValue) {
  TuneSummary summary = ExampleSummary();
  summary.reference.metric = MetricSummary{"top5", true, 0.75, 0.5};
  std::get<Measurement>(summary.front.points[1].trial.outcome)
      .accuracy.metrics.push_back({"top5", 0.625, 0, 1});
  summary.front.points[1].heldout->metrics.push_back({"top5", 0.375, 0, 1});
  const TextTable table = FrontTable(summary);
  EXPECT_EQ(table.header[5], "SQNR held-out");
  EXPECT_EQ(table.header[6], "top5 (fp32 0.75)");
  EXPECT_EQ(table.header[7], "held-out (fp32 0.5)");
  EXPECT_EQ(table.rows[1][6], "0.625");
  EXPECT_EQ(table.rows[1][7], "0.375");
  EXPECT_EQ(table.rows[2][7], "-");
  EXPECT_EQ(nlohmann::json::parse(FormatFrontJson(summary))["metric"]["heldout_reference"], 0.5);
  EXPECT_THAT(VerdictOf(summary).sentence,
              HasSubstr("at least 41.5 dB. Not promised: top5, of which there is "
                        "no bound."));
  summary.reference.metric->name = "top1";
  EXPECT_THAT(VerdictOf(summary).sentence, Not(HasSubstr("Not promised")));
  summary.reference.metric->heldout_reference.reset();
  EXPECT_EQ(FrontTable(summary).header[7], "configuration");
}

TEST(FormatsTest, WithoutFloatingOutputsEveryReportSaysAgreement) {
  const TuneSummary summary = testing::DiscreteSummary();
  const TextTable table = FrontTable(summary);
  EXPECT_EQ(table.header[2], "agreement mean");
  EXPECT_EQ(table.header[3], "agreement worst");
  EXPECT_EQ(table.header[5], "agreement held-out");
  EXPECT_EQ(table.header[6], "configuration") << "float32 agrees with itself: no column of that";
  EXPECT_EQ(table.rows[1][2], "99.9999 %") << "and not 100 %";
  EXPECT_EQ(table.rows[2][2], "100 %");
  EXPECT_THAT(VerdictOf(summary).sentence,
              HasSubstr("at 99.9999 % agreement (the fastest that agrees with "
                        "float32 in 99 % of the elements"));
  for (const ReportFormat& format : AllReportFormats()) {
    if (format.name != "histograms") {  // of tensors within the network
      EXPECT_THAT(format.format(summary), HasSubstr("agreement")) << format.name;
    }
  }
  EXPECT_THAT(FormatMarkdown(summary), Not(HasSubstr("SQNR mean")));
  const auto json = nlohmann::json::parse(FormatFrontJson(summary));
  EXPECT_EQ(json["front"][0]["predicted"]["disagreement"], 0.0012);
  EXPECT_EQ(json["predictions"][0]["measured"]["disagreement"], 0.001);
  EXPECT_TRUE(json["chosen_point"]["worst_samples"][0]["sqnr_db"].is_null());
  EXPECT_EQ(json["chosen_point"]["worst_samples"][0]["agreement"], 0.999998);
  EXPECT_THAT(FormatHtml(summary), HasSubstr(">an agreement of at least 0.99</td>"));
}

TEST(FormatsTest, WithoutQuantisationNoReportSpeaksOfIt) {
  TuneSummary summary = ExampleSummary();
  EXPECT_THAT(FormatHistograms(summary), HasSubstr("\"conv1:0\""));
  for (auto* const format : {FormatMarkdown, FormatHtml}) {
    EXPECT_THAT(format(summary), HasSubstr("Tensors in 8 bits"));
  }
  summary.insight.calibration = nullptr;
  EXPECT_EQ(FormatHistograms(summary), "");
  for (auto* const format : {FormatMarkdown, FormatHtml}) {
    EXPECT_THAT(format(summary), Not(HasSubstr("Tensors in 8 bits")));
  }
  EXPECT_THAT(FormatConsole(summary), Not(HasSubstr("8 bits")));
  EXPECT_FALSE(nlohmann::json::parse(FormatFrontJson(summary)).contains("quantization"));
}

TEST(FormatsTest, TheScreenNamesTheWorstOfAPointInEightBits) {
  TuneSummary summary = ExampleSummary();
  EXPECT_THAT(FormatConsole(summary), Not(HasSubstr("8 bits")));
  summary.front.points[1].trial.candidate.options.node_formats = {{"conv1", "qint8"}};
  EXPECT_THAT(FormatConsole(summary),
              HasSubstr("\n8 bits, most clipped: conv1:0 (9.4 % of the values, "));
  EXPECT_THAT(FormatConsole(summary), HasSubstr("\n8 bits, widest channels: conv1.weight (largest "
                                                "scale 125 times the least)\n"));
  EXPECT_THAT(FormatHtml(summary), HasSubstr("in 8 bits at the chosen point\">yes</td>"));
}

TEST(FormatsTest, FrontJsonHasTheFiguresOfTensorsWithoutHistograms) {
  const auto json = nlohmann::json::parse(FormatFrontJson(ExampleSummary())).at("quantization");
  EXPECT_EQ(json["calibration"]["samples"], 64);
  ASSERT_EQ(json["tensors"].size(), 3U);
  EXPECT_TRUE(json["tensors"][0]["seen"].is_null());
  const auto& tensor = json["tensors"][1];
  EXPECT_EQ(tensor["producer"], "conv1");
  EXPECT_EQ(tensor["seen"]["method"], "percentile:99.99");
  EXPECT_GT(tensor["seen"]["clipped_energy"], 0);
  EXPECT_FALSE(tensor.contains("histogram"));
  EXPECT_EQ(json["weights"][0]["zero_channels"], 1);
  EXPECT_FALSE(json["weights"][0].contains("places"));
}

// The page has the histograms of the least exact tensors, whatever their number.
TEST(FormatsTest, ThePageIsBounded) {
  TuneSummary summary = ExampleSummary();
  CalibrationRecord record = *summary.insight.calibration;
  const std::size_t before = FormatHtml(summary).size();
  TensorRecord tensor = record.tensors[1];
  WeightRecord weight = record.weights[0];
  tensor.histogram.counts.assign(kRecordBins, 1'000'000);
  weight.places.assign(kRecordPlaces, {-0.12345678, 0.12345678, 0.0012345678});
  for (int i = 0; i < 3000; ++i) {
    tensor.name = tensor.seen->source = "tensor " + std::to_string(i);
    weight.name = "weight " + std::to_string(i);
    record.tensors.push_back(tensor);
    record.weights.push_back(weight);
  }
  summary.insight.calibration = std::make_shared<const CalibrationRecord>(record);
  const std::string page = FormatHtml(summary);
  // front.json, in the page too, has a row for each of the 6000.
  EXPECT_LT(page.size() - before - FormatFrontJson(summary).size(), 2'500'000U);
  EXPECT_THAT(page, HasSubstr("The first 500 of 3003 tensors; histograms.json has all."));
  EXPECT_LT(FormatHistograms(summary).size(), 12'000'000U);
}

TEST(FormatsTest, JsonHoldsWhatAProgramNeedsToReproduceAPoint) {
  const auto json = nlohmann::json::parse(FormatFrontJson(ExampleSummary()));
  EXPECT_EQ(json["schema_version"], kFrontJsonSchemaVersion);
  ASSERT_EQ(json["front"].size(), 3U);
  const auto& point = json["front"][1];
  EXPECT_EQ(point["options"]["precision_mode"], "allow_mix_precision");
  EXPECT_EQ(point["options"]["keep_dtype"][0], "conv1");
  EXPECT_EQ(point["arguments"][1], "--keep_dtype=point_1/keep_dtype.cfg");
  EXPECT_DOUBLE_EQ(point["speed_up"], 1 / 0.75);
  EXPECT_LE(point["speed_up_interval"][0], point["speed_up"]);
  EXPECT_GE(point["speed_up_interval"][1], point["speed_up"]);
  EXPECT_EQ(point["accuracy"]["sqnr_db"]["worst_sample"], 7);
  EXPECT_TRUE(point["chosen"]);
}

TEST(FormatsTest, NamesThatAreNotUtf8DoNotBreakTheReport) {
  TuneSummary summary = ExampleSummary();
  summary.front.points[0].trial.kept_nodes = {"\xff\xfe"};
  EXPECT_TRUE(nlohmann::json::accept(FormatFrontJson(summary)));
}

TEST(FormatsTest, ColouredTextIsThePlainTextWithEscapes) {
  std::string colored = FormatConsole(ExampleSummary(), {.colored = true});
  for (auto at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
    colored.erase(at, colored.find('m', at) + 1 - at);
  }
  EXPECT_EQ(colored, FormatConsole(ExampleSummary()));
}

TEST(FormatsTest, NamesDoNotBecomePartsOfThePage) {
  for (const auto& [name, summary] : AllExampleSummaries()) {
    const std::string page = WithoutPageFiles(FormatHtml(summary));
    EXPECT_THAT(page, Not(HasSubstr("<img"))) << name;
    EXPECT_THAT(page, Not(HasSubstr("<script>window"))) << name;
    EXPECT_THAT(page, Not(HasSubstr("<style>body"))) << name;
    EXPECT_EQ(page.find('\x01'), std::string::npos) << name;
    // Of the data, and of each script.
    std::size_t scripts = 0;
    for (auto at = page.find("<script"); at != std::string::npos;
         at = page.find("<script", at + 1)) {
      ++scripts;
    }
    const bool quantized = summary.insight.calibration != nullptr;
    EXPECT_EQ(scripts, PageFiles().size() + (quantized ? 1 : 0)) << name;
  }
  EXPECT_THAT(FormatJUnit(HostileSummary()), Not(HasSubstr("<img")));
}

TEST(FormatsTest, ThePageCarriesTheFrontJson) {
  const std::string page = FormatHtml(HostileSummary());
  const std::string_view open = "<script type=\"application/json\" id=\"front-json\">";
  const auto start = page.find(open) + open.size();
  const std::string data = page.substr(start, page.find("</script>", start) - start);
  EXPECT_EQ(nlohmann::json::parse(data), nlohmann::json::parse(FormatFrontJson(HostileSummary())));
}

// RFC 6234's SHA-256 of "abc", and its base64 by coreutils.
TEST(FormatsTest, PolicyHashesAreBase64) {
  EXPECT_EQ(PolicyHash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST(FormatsTest, AnIntervalThatHoldsOneIsATie) {
  const Latency tie{.ratio = 1.001, .ratio_interval = {0.99, 1.01}};
  EXPECT_NE(FormatSpeedUp(tie).find(" tie"), std::string::npos);
  const Latency close{.ratio = 0.995, .ratio_interval = {0.994, 0.996}};
  EXPECT_NE(FormatSpeedUp(close).find(" tie"), std::string::npos);
  const Latency faster{.ratio = 0.5, .ratio_interval = {0.49, 0.51}};
  EXPECT_EQ(FormatSpeedUp(faster), "2.000x [1.961, 2.041]");
}

TEST(FormatsTest, ExactIsOfEqualOutputsAlone) {
  EXPECT_EQ(FormatSqnr(kExactSqnrDb), "exact");
  EXPECT_EQ(FormatSqnr(199.99), "199.9 dB");  // the mean of many that are and one that is not
  EXPECT_EQ(FormatSqnr(kMostInexactDb), "199.9 dB");
  EXPECT_EQ(FormatSqnr(-kExactSqnrDb), "not finite");
  EXPECT_EQ(FormatSqnr(-0.0), "0.0 dB");
  EXPECT_EQ(FormatSqnr(-0.04), "0.0 dB");
  EXPECT_EQ(FormatMetric("sqnr_db", kExactSqnrDb), "exact");
  EXPECT_EQ(FormatMetric("policy:sqnr_db", kExactSqnrDb), "exact");
  EXPECT_EQ(FormatMetric("sqnr_db", -0.0), "0");
  EXPECT_EQ(FormatMetric("rel_l2", kBrokenRelL2), "not finite");
  EXPECT_EQ(FormatMetric("max_abs", kBrokenMaxAbs), "not finite");
  EXPECT_EQ(FormatMetric("command:score", 200), "200");
}

TEST(FormatsTest, APointOfFloat32ThatDiffersFromItSaysWhy) {
  TuneSummary summary = ExampleSummary();
  EXPECT_THAT(FrontFootnotes(summary), ::testing::IsEmpty());
  FrontPoint& point = summary.front.points[0];
  point.trial.low_precision_nodes.clear();
  point.as_float32 = false;
  const std::string note = "Point 1 computes everything in float32: its " +
                           FormatSqnr(point.measurement().accuracy.Find("sqnr_db")->mean) +
                           " are the rounding of float32 itself";
  for (const std::string& text :
       {FormatConsole(summary), FormatMarkdown(summary), FormatHtml(summary)}) {
    EXPECT_THAT(text, HasSubstr(note));
  }
  point.as_float32 = true;
  EXPECT_THAT(FormatConsole(summary), ::testing::Not(HasSubstr("computes everything in float32")));
}

TEST(FormatsTest, AnOperatorThatAloneLosesMoreThanAPointThatLowersItSaysWhy) {
  TuneSummary summary = ExampleSummary();
  ASSERT_FALSE(summary.insight.kept.empty());
  KeptOperator& kept = summary.insight.kept.front();
  kept.refusal.clear();
  FrontPoint& point = summary.front.points[0];
  const double sqnr_db = point.measurement().accuracy.Find("sqnr_db")->mean;
  point.trial.low_precision_nodes = {kept.node};
  const std::string note = "One alone may lose more than a point that lowers it";
  kept.sqnr_db = sqnr_db + 1;
  EXPECT_THAT(FormatMarkdown(summary), ::testing::Not(HasSubstr(note)));
  kept.sqnr_db = sqnr_db - 1;
  EXPECT_THAT(FormatMarkdown(summary), HasSubstr(note));
}

}  // namespace
}  // namespace halftone
