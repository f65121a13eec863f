// The folder of each point of a front, read back, is the plan that was measured: also where single
// operators have dtypes of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "search/space/decisions.h"
#include "src/api/halftone.h"
#include "src/api/options/point.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "tests/support/digits_library.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::MakeDigitsLibrary;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Proposes plans in which every group of operators draws its dtype and implementation, and which
// no keep_dtype file can say.
class MixedPlans : public SearchStrategy {
 public:
  MixedPlans(const Graph& graph, const TargetSpec& target, std::size_t count) {
    const Decisions decisions(graph, target);
    Rng rng(1);
    while (candidates_.size() < count) {
      Assignment assignment;
      for (const DecisionGroup& group : decisions.groups()) {
        assignment.push_back(rng.Below(group.choices.size()));
      }
      Candidate candidate{
          ConfigurationFor(graph, decisions.PlanFor(assignment), target, {}).options};
      if (!candidate.options.customize_dtypes.empty()) {
        candidates_.push_back(std::move(candidate));
      }
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    const std::size_t count = std::min(max_count, candidates_.size());
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Candidate> suggested(candidates_.begin(), end);
    candidates_.erase(candidates_.begin(), end);
    return suggested;
  }

  void Update(std::span<const Trial> /*finished*/) override {}

 private:
  std::vector<Candidate> candidates_;
};

class PointFilesTest : public ::testing::Test {
 protected:
  PointFilesTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .labels = {}, .max_samples = 20};
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.02, .full_budget_s = 0.04};
    options_.output = folder_ / "out";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~PointFilesTest() override { std::filesystem::remove_all(folder_); }

  // No line can be left out; the plan is the same with every fusion off.
  void ExpectMinimal(const PrecisionOptions& options, const TargetSpec& target,
                     const Hash128& plan_digest) const {
    const auto differs = [&](const PrecisionOptions& fewer) {
      try {
        return ResolvePrecision(model_.graph, fewer, target).Digest() != plan_digest;
      } catch (const Error&) {
        return true;
      }
    };
    for (std::size_t i = 0; i < options.keep_dtype.size(); ++i) {
      PrecisionOptions fewer = options;
      fewer.keep_dtype.erase(fewer.keep_dtype.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(differs(fewer)) << "keep_dtype line " << options.keep_dtype[i];
    }
    for (std::size_t i = 0; i < options.customize_dtypes.size(); ++i) {
      PrecisionOptions fewer = options;
      fewer.customize_dtypes.erase(fewer.customize_dtypes.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(differs(fewer)) << "customize_dtypes line " << options.customize_dtypes[i].target;
    }
    for (auto PrecisionOptions::*modes :
         {&PrecisionOptions::impl_mode_by_node, &PrecisionOptions::impl_mode_by_type}) {
      for (const auto& [name, mode] : options.*modes) {
        PrecisionOptions fewer = options;
        (fewer.*modes).erase(name);
        EXPECT_TRUE(differs(fewer)) << "op_precision_mode line " << name;
      }
    }
    ModelOptions unfused = model_.options;
    for (const Pass& pass : AllPasses()) {
      if (pass.fusion != FusionKind::kNone) {
        unfused.fusions_off.insert(std::string(pass.name));
      }
    }
    EXPECT_EQ(ResolvePrecision(LoadModel(unfused).graph, options, target).Digest(), plan_digest);
  }

  void ExpectFilesOf(const TuneSummary& summary) {
    ASSERT_FALSE(summary.front.points.empty());
    for (const FrontPoint& point : summary.front.points) {
      const OptionSet read = LoadOptionSet((options_.output / point.folder).string(), {});
      EXPECT_EQ(ResolvePrecision(model_.graph, read.precision.options, read.target).Digest(),
                point.trial.plan_digest)
          << point.folder;
      SCOPED_TRACE(point.folder);
      ExpectMinimal(read.precision.options, read.target, point.trial.plan_digest);
      const ExplainedText explained =
          ExplainText(model_, read.target, read.precision.options, {.format = "json"});
      EXPECT_THAT(explained.text, HasSubstr(point.trial.plan_digest.ToHex())) << point.folder;
      const Point given = ReadPoint(options_.output / point.folder);
      EXPECT_EQ(given.record.value().plan_digest, point.trial.plan_digest);
      EXPECT_THAT(CheckPoint(given, model_, read.target, read.precision.options), IsEmpty());
    }
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_point_files_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
};

TEST_F(PointFilesTest, OperatorsWithDTypesOfTheirOwnAreReadBack) {
  const TargetSpec target = LoadTarget("host");
  options_.make_strategy = [&](const SearchSpace&) {
    return std::make_unique<MixedPlans>(model_.graph, target, 12);
  };
  const TuneSummary summary = Tune(model_, options_);
  ExpectFilesOf(summary);
  for (const FrontPoint& point : summary.front.points) {
    EXPECT_FALSE(point.trial.candidate.options.customize_dtypes.empty());
    EXPECT_THAT(ReadFile(options_.output / point.folder / "arguments.txt"),
                HasSubstr("--customize_dtypes="));
  }
}

// After the probes, single operators are lowered and kept.
TEST_F(PointFilesTest, WhatTheModelFindsIsReadBack) {
  options_.max_trials = 40;
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_TRUE(summary.insight.probes);
  ExpectFilesOf(summary);
}

// The library is a copy in each folder.
TEST_F(PointFilesTest, PointsOfAnAscendDeviceAndItsLibraryAreReadBack) {
  const std::filesystem::path opp = folder_ / "opp";
  MakeDigitsLibrary(opp);
  options_.target = {.soc_version = "Ascend310P3", .ops_info = opp};
  options_.max_trials = 6;
  const TuneSummary summary = Tune(model_, options_);
  std::filesystem::remove_all(opp);
  EXPECT_THAT(summary.front.points.at(0).arguments.at(1).value, "point_1/ops_info");
  ExpectFilesOf(summary);
}

}  // namespace
}  // namespace halftone
