// Plans on a runtime outside halftone, by one that plants its outputs and times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "search/measure/network_measurer.h"
#include "search/measure/runtime.h"
#include "search/measure/runtime_times.h"
#include "src/base/error.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using ::testing::HasSubstr;

struct PlantedPlan : BuiltPlan {
  [[nodiscard]] const RuntimeRun& facts() const override { return run; }

  PrecisionPlan plan;
  RuntimeRun run;
};

// Doubles as the float32 network: outputs are 2 x the input, plus `error` for other plans.
class PlantedRuntime : public Runtime {
 public:
  explicit PlantedRuntime(const Graph& graph) : graph_(graph) {}

  [[nodiscard]] const std::string& description() const override { return name_; }

  std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) override {
    if (!refusal.empty()) {
      return Rejection{refusal};
    }
    auto built = std::make_shared<PlantedPlan>();
    built->plan = plan;
    built->run = {
        .runtime = name_, .low_asked = 3, .low_ran = 2, .as_asked = false, .build_s = 0.5};
    return built;
  }

  std::variant<Latency, Rejection> Time(BuiltPlan& /*candidate*/,
                                        const RuntimeTiming& timing) override {
    timings.push_back(timing);
    if (!timing_refusal.empty()) {
      return Rejection{timing_refusal};
    }
    return Latency{.ratio = 0.5, .ratio_interval = {0.4, 0.6}, .median_s = 1, .anchor_median_s = 2};
  }

  std::optional<StepTimes> SecondsByNode(BuiltPlan& plan) override {
    if (!knows_times) {
      return std::nullopt;
    }
    const bool is_reference =
        static_cast<PlantedPlan&>(plan).plan.Digest() == ReferencePlan(graph_).Digest();
    StepTimes times;
    times.nodes["mm0"] = is_reference ? 6 : 2;
    times.casts = {{100, 1}};
    times.total = is_reference ? 10 : 5;
    return times;
  }

  std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                              const TakeOutputs& take) override {
    if (!outputs) {
      return RuntimeOutputs::kNone;
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (!take(i, outputs(static_cast<PlantedPlan&>(plan).plan, data.Read(i)))) {
        break;
      }
    }
    return RuntimeOutputs::kTaken;
  }

  std::string refusal;
  std::string timing_refusal;
  bool knows_times = true;
  std::vector<RuntimeTiming> timings;
  std::function<std::vector<Tensor>(const PrecisionPlan&, const Sample&)> outputs;

 private:
  const Graph& graph_;
  std::string name_ = "Planted 1.0";
};

class RuntimeMeasurerTest : public ::testing::Test {
 protected:
  RuntimeMeasurerTest() {
    std::vector<Sample> samples;
    for (const float scale : {1.0F, -1.0F, 2.0F}) {
      Tensor input(DType::kFloat32, Shape{1, 8});
      for (std::size_t i = 0; i < 8; ++i) {
        input.mutable_values<float>()[i] = scale * (0.3F + 0.1F * static_cast<float>(i));
      }
      samples.push_back({"sample " + std::to_string(samples.size()), {input}});
    }
    dataset_ = Dataset(std::move(samples));
  }

  [[nodiscard]] NetworkMeasurer Measurer() const {
    MeasureOptions options;
    options.quick_budget_s = 0.01;
    options.confirm_budget_s = 0.02;
    options.latency = TimedBy(runtime_);
    return {graph_, dataset_, options};
  }

  // What float32 gives there, times `factor`.
  [[nodiscard]] std::vector<Tensor> Scaled(const Sample& sample, float factor) const {
    const Executable float32 = Compile(graph_, ReferencePlan(graph_));
    Workspace workspace = float32.NewWorkspace();
    std::vector<Tensor> outputs = float32.NewOutputs();
    float32.Run(workspace, sample.inputs, outputs);
    for (float& value : outputs.front().mutable_values<float>()) {
      value *= factor;
    }
    return outputs;
  }

  Graph graph_ = ChainNetwork(2);
  Dataset dataset_;
  std::shared_ptr<PlantedRuntime> runtime_ = std::make_shared<PlantedRuntime>(graph_);
  PrecisionPlan plan_ = ResolvePrecision(graph_, {.precision_mode = "force_fp16"}, HostTarget());
};

// Every output is 1 % too large: 40 dB in two samples; that of the third is zero behind a Relu, and
// exact. The mean is of noise powers: 2 / 3 of 1e-4.
TEST_F(RuntimeMeasurerTest, AccuracyAndLatencyAreThoseOfTheRuntime) {
  runtime_->outputs = [this](const PrecisionPlan& /*plan*/, const Sample& sample) {
    return Scaled(sample, 1.01F);
  };
  NetworkMeasurer measurer = Measurer();
  const auto outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome)) << std::get<Rejection>(outcome).reason;
  const auto& measurement = std::get<Measurement>(outcome);
  EXPECT_NEAR(measurement.accuracy.Mean("sqnr_db"), 40 + 10 * std::log10(1.5), 1e-3);
  EXPECT_EQ(measurement.latency.ratio, 0.5);
  ASSERT_TRUE(measurement.runtime);
  EXPECT_EQ(measurement.runtime->runtime, "Planted 1.0");
  EXPECT_EQ(measurement.runtime->low_ran, 2);
  EXPECT_FALSE(measurement.runtime->as_asked);
  EXPECT_TRUE(measurement.runtime->own_outputs);
  EXPECT_EQ(measurer.Confirm(plan_).ratio, 0.5);
  ASSERT_EQ(runtime_->timings.size(), 2U);
  EXPECT_EQ(runtime_->timings[0].budget_s, 0.01);
  EXPECT_EQ(runtime_->timings[1].budget_s, 0.02);
  const auto accuracy = measurer.MeasureAccuracy(plan_);
  EXPECT_EQ(std::get<Accuracy>(accuracy).Mean("sqnr_db"), measurement.accuracy.Mean("sqnr_db"));
  EXPECT_GE(measurer.compile_s(), 0.5);  // building there counts
}

TEST_F(RuntimeMeasurerTest, WithoutOutputsHalftonesKernelsAreJudged) {
  NetworkMeasurer measurer = Measurer();
  const auto outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Measurement>(outcome));
  const auto& measurement = std::get<Measurement>(outcome);
  EXPECT_FALSE(measurement.runtime->own_outputs);
  MeasureOptions here;
  here.quick_budget_s = 0.01;
  const auto own = NetworkMeasurer(graph_, dataset_, here).MeasureAccuracy(plan_);
  EXPECT_EQ(measurement.accuracy, std::get<Accuracy>(own));
}

TEST_F(RuntimeMeasurerTest, WhatItRefusesIsARejectionInItsWords) {
  NetworkMeasurer measurer = Measurer();
  runtime_->refusal = "no kernel for Conv(22)";
  auto outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_EQ(std::get<Rejection>(outcome).reason, "no kernel for Conv(22)");
  EXPECT_TRUE(std::holds_alternative<Rejection>(measurer.MeasureAccuracy(plan_)));
  EXPECT_THROW(measurer.Confirm(plan_), Error);
  runtime_->refusal.clear();
  runtime_->timing_refusal = "out of memory";
  outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_EQ(std::get<Rejection>(outcome).reason, "out of memory");
}

TEST_F(RuntimeMeasurerTest, BrokenOutputsAreARejectionThatNamesTheSample) {
  NetworkMeasurer measurer = Measurer();
  runtime_->outputs = [this](const PrecisionPlan& /*plan*/, const Sample& sample) {
    std::vector<Tensor> outputs = Scaled(sample, 1);
    if (sample.name == "sample 1") {
      outputs.front().mutable_values<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    }
    return outputs;
  };
  auto outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_THAT(std::get<Rejection>(outcome).reason, HasSubstr("sample 'sample 1': output '"));
  runtime_->outputs = [](const PrecisionPlan& /*plan*/, const Sample& /*sample*/) {
    return std::vector<Tensor>{Tensor(DType::kFloat32, Shape{1, 3})};
  };
  outcome = measurer.Measure(plan_);
  ASSERT_TRUE(std::holds_alternative<Rejection>(outcome));
  EXPECT_THAT(std::get<Rejection>(outcome).reason, HasSubstr("has shape 1x3, in float32 1x8"));
}

TEST_F(RuntimeMeasurerTest, TimesOfNodesAreSharesOfFloat32) {
  const PrecisionPlan plans[] = {ReferencePlan(graph_), plan_};
  const std::vector<StepTimes> times = TimeStepsOnRuntime(*runtime_, plans, {});
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0].total, 1);
  EXPECT_DOUBLE_EQ(times[0].nodes.at("mm0"), 0.6);
  EXPECT_DOUBLE_EQ(times[1].total, 0.5);
  EXPECT_DOUBLE_EQ(times[1].nodes.at("mm0"), 0.2);
  EXPECT_DOUBLE_EQ(times[1].casts.front().second, 0.1);
  runtime_->knows_times = false;
  EXPECT_TRUE(TimeStepsOnRuntime(*runtime_, plans, {}).empty());
  runtime_->knows_times = true;
  EXPECT_TRUE(TimeStepsOnRuntime(*runtime_, plans, [] { return true; }).empty());
}

}  // namespace
}  // namespace halftone
