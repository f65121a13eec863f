// A search on samples in memory, with a metric that is a function of the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "halftone/metric.h"
#include "src/accuracy/input_file.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InMemoryTest : public ::testing::Test {
 protected:
  InMemoryTest() {
    options_.data.inputs = (digits_ / "search_inputs.npy").string();
    options_.data.labels = (digits_ / "search_labels.npy").string();
    options_.data.max_samples = 40;
    options_.heldout_share = 0.25;
    options_.max_trials = 4;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.02, .full_budget_s = 0.04};
  }

  ~InMemoryTest() override { std::filesystem::remove_all(folder_); }

  // The same samples as arrays.
  [[nodiscard]] TuneOptions InMemory() const {
    SampleArrays arrays;
    arrays.name = "inputs";
    arrays.inputs = {{"pixels", ReadTensorFile(options_.data.inputs)}};
    arrays.labels = ReadTensorFile(options_.data.labels);
    TuneOptions options = options_;
    options.data.inputs.clear();
    options.data.labels.clear();
    options.data.arrays = std::make_shared<const SampleArrays>(std::move(arrays));
    return options;
  }

  [[nodiscard]] Model ModelFor(const TuneOptions& options) const {
    ModelOptions reading;
    reading.path = digits_ / "model.onnx";
    reading.inputs = options.data.inputs;
    reading.arrays = options.data.arrays;
    return LoadModel(reading);
  }

  std::filesystem::path digits_ = testing::SourceDir() / "examples/digits";
  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_in_memory_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
};

TEST_F(InMemoryTest, TheBankKnowsSamplesOfFilesInMemory) {
  options_.bank = folder_ / "bank";
  const TuneSummary of_files = Tune(ModelFor(options_), options_);
  EXPECT_GT(of_files.search.measured, 0U);
  const TuneOptions options = InMemory();
  const TuneSummary of_arrays = Tune(ModelFor(options), options);
  EXPECT_EQ(of_arrays.search.measured, 0U);
  EXPECT_EQ(of_arrays.run.inputs, "inputs");
  EXPECT_TRUE(of_arrays.run.representative);
  EXPECT_EQ(of_arrays.reference.top1, of_files.reference.top1);
}

double ShareOfRight(const JudgedOutputs& judged) {
  double right = 0;
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    right += ArgMax(judged.values[i][0], 0, 10) == judged.labels[i][0] ? 1 : 0;
  }
  return right / static_cast<double>(judged.values.size());
}

TEST_F(InMemoryTest, AFunctionIsTheLossOfTheSearch) {
  TuneOptions options = InMemory();
  options.measure.metric.metric = "function:right";
  options.measure.metric.better = "higher";
  options.measure.metric.function = std::make_shared<const MetricFunction>(
      [](const JudgedOutputs& judged) { return std::vector{ShareOfRight(judged)}; });
  const TuneSummary summary = Tune(ModelFor(options), options);
  ASSERT_FALSE(summary.front.points.empty());
  for (const FrontPoint& point : summary.front.points) {
    const Accuracy& accuracy = point.measurement().accuracy;
    EXPECT_EQ(accuracy.Mean("function:right"), accuracy.Mean("top1"));
    EXPECT_EQ(accuracy.loss, -accuracy.Mean("top1"));
    ASSERT_TRUE(point.heldout);
    EXPECT_EQ(point.heldout->Mean("function:right"), point.heldout->Mean("top1"));
  }
  ASSERT_TRUE(summary.reference.metric);
  EXPECT_EQ(summary.reference.metric->reference, summary.reference.top1);
}

TEST_F(InMemoryTest, WhatTheFunctionThrowsLeavesTheSearch) {
  TuneOptions options = InMemory();
  options.measure.metric.metric = "function:broken";
  options.measure.metric.better = "lower";
  int calls = 0;
  options.measure.metric.function =
      std::make_shared<const MetricFunction>([&](const JudgedOutputs&) -> std::vector<double> {
        if (++calls == 3) {
          throw std::runtime_error("of the caller");
        }
        return {1};
      });
  EXPECT_THROW(Tune(ModelFor(options), options), std::runtime_error);
}

// A metric that fails is known after one run of float32, not after minutes of kernels and scales.
TEST_F(InMemoryTest, TheFunctionIsTriedBeforeAnythingElse) {
  TuneOptions options = InMemory();
  options.operator_tuning = OperatorTuningMode::kProfile;
  options.operator_budget_s = 0.01;
  options.measure.metric.metric = "function:broken";
  options.measure.metric.better = "lower";
  std::vector<std::size_t> samples;
  options.measure.metric.function =
      std::make_shared<const MetricFunction>([&](const JudgedOutputs& judged) {
        samples.push_back(judged.samples.size());
        throw std::runtime_error("of the caller");
        return std::vector<double>{};
      });
  bool began = false;
  TuneCallbacks callbacks;
  callbacks.on_operators = [&](const OperatorTunerProgress&) { began = true; };
  callbacks.on_probes = [&](const ProbeProgress&) { began = true; };
  callbacks.on_progress = [&](const TunerProgress&) { began = true; };
  EXPECT_THROW(Tune(ModelFor(options), options, callbacks), std::runtime_error);
  EXPECT_FALSE(began);
  EXPECT_THAT(samples, ElementsAre(1, 30)) << "one sample, then all of the search";
}

// A function that needs several samples is no failure.
TEST_F(InMemoryTest, AFunctionOfSeveralSamplesIsTriedOnAll) {
  TuneOptions options = InMemory();
  options.measure.metric.metric = "function:several";
  options.measure.metric.better = "higher";
  std::vector<std::size_t> samples;
  options.measure.metric.function =
      std::make_shared<const MetricFunction>([&](const JudgedOutputs& judged) {
        samples.push_back(judged.samples.size());
        if (judged.samples.size() < 2) {
          throw std::runtime_error("a spread of one sample");
        }
        return std::vector{ShareOfRight(judged)};
      });
  EXPECT_FALSE(Tune(ModelFor(options), options).front.points.empty());
  ASSERT_GE(samples.size(), 2U);
  EXPECT_EQ(samples[0], 1U);
  EXPECT_EQ(samples[1], 30U);
}

// An answer from the bank calls no metric that is in it.
TEST_F(InMemoryTest, AFunctionThatTheBankKnowsIsNotTried) {
  TuneOptions options = InMemory();
  options.bank = folder_ / "bank";
  options.measure.metric.metric = "function:right";
  options.measure.metric.better = "higher";
  int calls = 0;
  options.measure.metric.function =
      std::make_shared<const MetricFunction>([&](const JudgedOutputs& judged) {
        ++calls;
        return std::vector{ShareOfRight(judged)};
      });
  const TuneSummary first = Tune(ModelFor(options), options);
  ASSERT_FALSE(first.front.points.empty());
  calls = 0;
  const TuneSummary again = Tune(ModelFor(options), options);
  EXPECT_EQ(again.front.points.size(), first.front.points.size());
  EXPECT_EQ(calls, 0);
}

// Random samples are said to be so before the minutes that they may waste.
TEST_F(InMemoryTest, RandomSamplesAreSaidAtTheStart) {
  TuneOptions options = options_;
  options.data = {};
  std::vector<std::string> events;
  TuneCallbacks callbacks;
  callbacks.on_warning = [&](const std::string& text) { events.push_back(text); };
  callbacks.on_progress = [&](const TunerProgress&) { events.emplace_back("plan"); };
  const TuneSummary summary = Tune(ModelFor(options), options, callbacks);
  ASSERT_FALSE(events.empty());
  EXPECT_THAT(events.front(), HasSubstr("the samples are random"));
  EXPECT_THAT(summary.warnings, Contains(events.front()));
  events.clear();
  Tune(ModelFor(options_), options_, callbacks);
  EXPECT_THAT(events, Each("plan"));
}

TEST_F(InMemoryTest, RunTakesThemToo) {
  const TuneOptions options = InMemory();
  const Model model = ModelFor(options);
  const RunResult run = RunConfiguration(
      model, {LoadTarget("host"), {.precision_mode = "force_fp16"}, options.data}, options.measure);
  EXPECT_EQ(run.sample_count, 40);
  EXPECT_THAT(run.measurement.accuracy.Find("sqnr_db")->worst_sample_name, HasSubstr("inputs["));
}

}  // namespace
}  // namespace halftone
