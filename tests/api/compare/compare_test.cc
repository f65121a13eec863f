#include "src/api/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/example_summary.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ExampleSummary;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CompareTest : public ::testing::Test {
 protected:
  CompareTest() {
    fs::remove_all(folder_);
    for (const char* name : {"a", "b"}) {
      fs::create_directories(folder_ / name);
    }
  }

  ~CompareTest() override { fs::remove_all(folder_); }

  // The example as A, and with changes as B.
  Comparison Compared(const std::function<void(TuneSummary&)>& change) {
    TuneSummary summary = ExampleSummary();
    WriteFileAtomically(folder_ / "a/front.json", FormatFrontJson(summary));
    change(summary);
    WriteFileAtomically(folder_ / "b/front.json", FormatFrontJson(summary));
    return CompareFronts(ReadComparedFront(folder_ / "a"),
                         ReadComparedFront(folder_ / "b/front.json"));
  }

  std::string ErrorOf(const fs::path& path, std::string_view network = {}) {
    try {
      ReadComparedFront(path, network);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_compare";
};

TEST_F(CompareTest, TheSameFrontHasNotMoved) {
  const Comparison comparison = Compared([](TuneSummary&) {});
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_THAT(comparison.kernels, IsEmpty());
  ASSERT_EQ(comparison.same.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(comparison.same[i].moved, IsEmpty());
    EXPECT_EQ(comparison.counterparts[i].b, &comparison.b.points[i]);
  }
  EXPECT_THAT(FormatComparison(comparison),
              HasSubstr("3 plans in both, of which 0 moved beyond the intervals\n"
                        "the chosen point keeps the same operators in float32\n"));
}

TEST_F(CompareTest, SaysWhatMovedAndWhere) {
  const Comparison comparison = Compared([](TuneSummary& summary) {
    summary.run.cpu = "Another CPU";
    summary.constraints.min_sqnr_db.reset();
    summary.kernels["conv1"] = "float32 conv.other";
    Trial& fastest = summary.front.points[0].trial;
    auto& latency = std::get<Measurement>(fastest.outcome).latency;
    latency.ratio = 0.4;
    latency.ratio_interval = {0.39, 0.41};
    Trial& chosen = summary.front.points[1].trial;
    chosen.plan_digest = {1, 1};
    chosen.kept_nodes = {"conv2"};
    chosen.low_precision_nodes = {"conv1"};
    std::get<Measurement>(chosen.outcome).accuracy.metrics[0].mean = 45;
  });
  EXPECT_THAT(comparison.differences,
              ElementsAre("CPU: A CPU | Another CPU", "min_sqnr_db: 40.0 | none"));
  EXPECT_THAT(comparison.kernels,
              ElementsAre("conv1: float16 conv.tile, float32 conv.tile | float32 conv.other"));
  EXPECT_THAT(comparison.kept_in_a, ElementsAre("conv1"));
  EXPECT_THAT(comparison.kept_in_b, ElementsAre("conv2"));
  ASSERT_EQ(comparison.same.size(), 2U);
  EXPECT_THAT(comparison.same[0].moved, ElementsAre("speed-up 2.000x -> 2.500x"));
  EXPECT_THAT(comparison.same[1].moved, IsEmpty());
  // The point of 47.5 dB has become one of 45 dB: only the exact one is as accurate.
  EXPECT_EQ(comparison.counterparts[1].b, &comparison.b.points[2]);
  const std::string text = FormatComparison(comparison, 100);
  EXPECT_THAT(text, HasSubstr("in float32 at the chosen point of A only:\n  conv1\n"));
  EXPECT_THAT(text, HasSubstr("2 plans in both, of which 1 moved beyond the intervals\nmoved:\n  "
                              "force_fp16 (A 1, B 1): speed-up 2.000x -> 2.500x\n"));
  const auto json = nlohmann::json::parse(FormatComparisonJson(comparison));
  EXPECT_EQ(json["counterparts"][1]["a"]["point"], 2);
  EXPECT_EQ(json["counterparts"][1]["b"]["point"], 3);
  EXPECT_EQ(json["same_plans"][0]["moved"].size(), 1U);
}

// Half a percent: news where the intervals are apart, a tie where one of them is not known.
TEST_F(CompareTest, OtherNetworksAndPredictionsAreSaid) {
  const std::string text = FormatComparison(Compared([](TuneSummary& summary) {
    summary.run.model_name = "other";
    for (FrontPoint& point : summary.front.points) {
      Latency& latency = std::get<Measurement>(point.trial.outcome).latency;
      latency.ratio_interval = {latency.ratio, latency.ratio};
      latency.candidate_samples_s.clear();
      latency.anchor_samples_s.clear();
    }
  }));
  EXPECT_THAT(text, HasSubstr("warning: these are different networks, so speed-ups and accuracies "
                              "of A and B do not compare\n"));
  EXPECT_THAT(text, HasSubstr("2.000x (predicted)"));
  EXPECT_THAT(FormatComparison(Compared([](TuneSummary& summary) {
                for (FrontPoint& point : summary.front.points) {
                  point.trial.plan_digest.low += 1;
                }
              })),
              HasSubstr("\nno plan is in both\n"));
}

TEST_F(CompareTest, AnAccuracyMovesBeyondItsIntervals) {
  const Comparison same = Compared([](TuneSummary&) {});
  ComparedFront a = same.a;
  ComparedFront b = same.b;
  const std::string metric = "sqnr_db";
  const double mean = a.points[0].accuracy.at(metric);
  const double moved = mean * 0.995;
  b.points[0].accuracy[metric] = moved;
  a.points[0].interval.erase(metric);
  EXPECT_THAT(CompareFronts(a, b).same[0].moved, IsEmpty());
  a.points[0].interval[metric] = {mean * 0.999, mean * 1.001};
  b.points[0].interval[metric] = {moved * 0.999, moved * 1.001};
  EXPECT_EQ(CompareFronts(a, b).same[0].moved.size(), 1U);
  b.points[0].interval[metric] = {moved * 0.999, mean};
  EXPECT_THAT(CompareFronts(a, b).same[0].moved, IsEmpty());
  b.points[0].interval.erase(metric);
  b.points[0].accuracy[metric] = mean * 0.98;
  EXPECT_EQ(CompareFronts(a, b).same[0].moved.size(), 1U);
}

TEST_F(CompareTest, APointWithoutACounterpart) {
  const Comparison comparison = Compared([](TuneSummary& summary) {
    summary.front.points.resize(2);
    std::get<Measurement>(summary.front.points[1].trial.outcome).accuracy.metrics[0].mean = 45;
  });
  EXPECT_EQ(comparison.counterparts[1].b, nullptr);
  EXPECT_EQ(comparison.counterparts[2].b, nullptr);
  EXPECT_TRUE(
      nlohmann::json::parse(FormatComparisonJson(comparison))["counterparts"][2]["b"].is_null());
}

// What tune wrote: front, point and knowledge base tell the same.
TEST_F(CompareTest, FrontsPointsAndKnowledgeBases) {
  const fs::path digits = halftone::testing::SourceDir() / "examples/digits";
  TuneOptions options;
  options.data = {.inputs = digits / "search_inputs.npy", .max_samples = 20};
  options.max_trials = 4;
  options.strategy = "greedy";
  options.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
  options.operator_tuning = OperatorTuningMode::kOff;
  options.bank = folder_ / "bank";
  options.output = folder_ / "out";
  const Model model = LoadModel({.path = digits / "model.onnx", .inputs = options.data.inputs});
  const TuneSummary tuned = Tune(model, options);
  const Comparison comparison =
      CompareFronts(ReadComparedFront(options.output), ReadComparedFront(options.bank));
  EXPECT_EQ(comparison.same.size(), tuned.front.points.size());
  for (const SamePlan& same : comparison.same) {
    EXPECT_THAT(same.moved, IsEmpty());
    EXPECT_EQ(same.a->speed_up, same.b->speed_up);
  }
  EXPECT_THAT(comparison.kernels, IsEmpty());
  EXPECT_EQ(comparison.a.kernels, comparison.b.kernels);
  const ComparedFront point = ReadComparedFront(options.output / "point_1");
  ASSERT_EQ(point.points.size(), 1U);
  EXPECT_EQ(point.points[0].plan_digest, tuned.front.points[0].trial.plan_digest.ToHex());
  EXPECT_EQ(point.subject(), point.points.data());
  EXPECT_EQ(ReadComparedFront(options.bank / "host/halftone.db").points.size(),
            tuned.front.points.size());
  EXPECT_THAT(ErrorOf(options.bank, "another"), HasSubstr("holds no front of 'another'"));
}

TEST_F(CompareTest, WhatIsNoFrontIsNamed) {
  EXPECT_THAT(ErrorOf(folder_ / "a"), HasSubstr("expected a folder with front.json, a point with "
                                                "point.json, or a knowledge base"));
  EXPECT_THAT(ErrorOf(folder_ / "none.json"), HasSubstr("none.json"));
  WriteFileAtomically(folder_ / "a/front.json", "{}");
  EXPECT_THAT(ErrorOf(folder_ / "a"),
              HasSubstr("front.json': expected the front.json or point.json"));
  WriteFileAtomically(folder_ / "a/front.json", "[1, 2");
  EXPECT_THAT(ErrorOf(folder_ / "a"), HasSubstr("front.json"));
}

}  // namespace
}  // namespace halftone
