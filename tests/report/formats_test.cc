#include "src/report/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/report/front_rows.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using ::halftone::testing::MatchesGolden;
using ::testing::HasSubstr;

FrontPoint Point(const std::string& mode, double ratio, double sqnr_db,
                 std::vector<std::string> kept) {
  Trial trial;
  trial.candidate.options.precision_mode = mode;
  trial.candidate.options.keep_dtype = kept;
  trial.plan_digest = {0x1234, static_cast<std::uint64_t>(ratio * 1000)};
  trial.kept_nodes = std::move(kept);
  trial.low_precision_nodes = {"conv2", "fc|odd \"name\""};
  Measurement measurement;
  measurement.latency = {.ratio = ratio,
                         .ratio_interval = {ratio - 0.01, ratio + 0.01},
                         .median_s = ratio * 0.002,
                         .anchor_median_s = 0.002,
                         .candidate_samples_s = {ratio * 0.002, ratio * 0.002},
                         .anchor_samples_s = {0.002, 0.002}};
  measurement.accuracy.metrics = {
      {"sqnr_db", sqnr_db, sqnr_db - 3, 7}, {"rel_l2", 0.001, 0.002, 7}, {"top1", 0.985, 0, 12}};
  measurement.peak_arena_bytes = 12345;
  measurement.confirmed = true;
  measurement.overflow.samples = 10;
  trial.outcome = measurement;
  return {.trial = trial,
          .folder = "point_1",
          .arguments = {{"--precision_mode", mode}, {"--keep_dtype", "point_1/keep_dtype.cfg"}},
          .heldout = Accuracy{{{"sqnr_db", sqnr_db - 1, sqnr_db - 4, 3}}}};
}

TuneSummary Example() {
  TuneSummary summary{.tool_version = "0.1.0",
                      .command = "halftone tune --model=m.onnx",
                      .created_at = "2026-01-02T03:04:05Z",
                      .model_name = "m",
                      .model_path = "m.onnx",
                      .model_hash = {1, 2},
                      .input_shapes = "x:1,3,8,8",
                      .node_count = 9,
                      .keepable_count = 4,
                      .target = "host",
                      .cpu = "A CPU",
                      .isa = "avx2",
                      .compiler = "gcc 12.2.0",
                      .threads = 2,
                      .inputs = "data.npy",
                      .sample_count = 10,
                      .heldout_count = 5,
                      .reference_top1 = 0.99,
                      .reference_latency_s = 0.002,
                      .reference_arena_bytes = 20000,
                      .strategy = "greedy",
                      .seed = 1,
                      .space = "3 modes x 2^4 keep_dtype sets x 2 implementation-mode sets",
                      .distinct_plans = 12,
                      .measured = 5,
                      .known = 7,
                      .stop_reason = "nothing left to propose",
                      .elapsed_s = 12.5,
                      .database = "bank/host/halftone.db"};
  summary.constraints.min_sqnr_db = 40;
  summary.points = {Point("force_fp16", 0.5, 38.25, {}),
                    Point("allow_mix_precision", 0.75, 47.5, {"conv1"}),
                    Point("must_keep_origin_dtype", 1.001, kExactSqnrDb, {"conv1"})};
  summary.chosen = 1;
  OverflowCensus& overflow = std::get<Measurement>(summary.points[0].trial.outcome).overflow;
  overflow.status = true;
  overflow.findings = {{.node = "conv3",
                        .op = "Conv",
                        .saturated = true,
                        .infinities = 12,
                        .samples = 2,
                        .first_sample = 1,
                        .first_sample_name = "data.npy[1]",
                        .first_element = {0, 3, 2, 7},
                        .first_value = "-Inf"}};
  summary.rejected = {{"force_fp16, keep 1 node", "node 'exp' overflows"}};
  summary.probes = ProbeSummary{.groups = 4,
                                .samples = 2,
                                .evaluations = 1.5,
                                .predictions = 12,
                                .loss_off_db = 0.75,
                                .latency_off = 0.02};
  summary.kept = {{.node = "conv1",
                   .choice = "float16",
                   .refusal = "",
                   .local_sqnr_db = 71.25,
                   .sqnr_db = 42.5,
                   .largest_value = 1234.5,
                   .saved_time = 0.125,
                   .cause = "cancellation",
                   .evidence = "the error of rounded operands grows 12.0 times within it"},
                  {.node = "exp",
                   .choice = "bfloat16",
                   .refusal = "a result is infinite or NaN where float32 is finite",
                   .largest_value = 1e30,
                   .cause = "overflow",
                   .evidence = "its largest value is 1e+30"}};
  summary.alternatives = {{.lowered = "conv1", .kept = {"exp", "gemm"}, .predicted = {0.8, 0.01}}};
  summary.points[1].certificate =
      Certificate{.samples = 5,
                  .bounds = {{.name = "min_sqnr_db",
                              .asked = 40,
                              .limit = 41.5,
                              .holds = true,
                              .statement = "the SQNR on new samples is at least 41.5 dB"}}};
  summary.warnings = {"An example of a warning."};
  return summary;
}

TEST(FormatsTest, GoldenTexts) {
  const TuneSummary summary = Example();
  EXPECT_TRUE(MatchesGolden(FormatConsole(summary), "report/console.txt"));
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      EXPECT_TRUE(MatchesGolden(format.format(summary), "report/" + std::string(format.file_name)));
    }
  }
}

TEST(FormatsTest, LatencyOfAnotherTargetIsThatOfTheHost) {
  TuneSummary summary = Example();
  EXPECT_EQ(LatencyNote("host"), "");
  summary.target = "Ascend310P3";
  for (const auto& text : {FormatConsole(summary), FormatMarkdown(summary)}) {
    EXPECT_THAT(text, HasSubstr("latency: host CPU, not Ascend310P3; accuracy: computed on the "
                                "host in the dtypes that Ascend310P3 would use"));
  }
  EXPECT_THAT(FormatFrontCsv(summary), HasSubstr(",Ascend310P3,host,"));
  const auto target = nlohmann::json::parse(FormatFrontJson(summary)).at("target");
  EXPECT_EQ(target.at("soc_version"), "Ascend310P3");
  EXPECT_EQ(target.at("latency_measured_on"), "host");
}

TEST(FormatsTest, SaysThatNothingMeetsTheConstraints) {
  TuneSummary summary = Example();
  summary.chosen.reset();
  summary.constraints.max_latency_ratio = 0.1;
  summary.nearest = {1, 0};
  EXPECT_EQ(
      Verdict(summary),
      "No configuration meets an SQNR of at least 40 dB, a latency ratio of at most 0.1 with 95 % "
      "confidence. Nearest: point 2 (1.333x [1.316, 1.351] the speed of fp32): latency is "
      "0.750 of float32, at most 0.100 is asked for; point 1 (2.000x [1.961, 2.041] the speed "
      "of fp32): SQNR is 38.25 dB, at least 40.00 dB is asked for.");
  summary.points.clear();
  EXPECT_EQ(Verdict(summary), "No configuration could be measured.");
}

TEST(FormatsTest, JsonHoldsWhatAProgramNeedsToReproduceAPoint) {
  const auto json = nlohmann::json::parse(FormatFrontJson(Example()));
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
  TuneSummary summary = Example();
  summary.points[0].trial.kept_nodes = {"\xff\xfe"};
  EXPECT_TRUE(nlohmann::json::accept(FormatFrontJson(summary)));
}

TEST(FormatsTest, AnIntervalThatHoldsOneIsATie) {
  const Latency tie{.ratio = 1.001, .ratio_interval = {0.99, 1.01}};
  EXPECT_NE(FormatSpeedUp(tie).find(" tie"), std::string::npos);
  const Latency close{.ratio = 0.995, .ratio_interval = {0.994, 0.996}};
  EXPECT_NE(FormatSpeedUp(close).find(" tie"), std::string::npos);
  const Latency faster{.ratio = 0.5, .ratio_interval = {0.49, 0.51}};
  EXPECT_EQ(FormatSpeedUp(faster), "2.000x [1.961, 2.041]");
}

}  // namespace
}  // namespace halftone
