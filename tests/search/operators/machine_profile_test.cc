// Machine profile: what is predicted from planted times, how they are measured, and the grid.
#include "search/operators/machine_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "search/operators/measure_profile.h"
#include "search/operators/profile_network.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two kernels of a product of 2^rows rows: "wide" has an overhead of 16 rows and twice the speed.
ProfiledCall Call(double rows, const std::string& family = "product") {
  const double extent = std::exp2(rows);
  return {.shape = {.family = family, .sizes = {rows, 6}},
          .seconds = {{"narrow", 1e-6 * extent}, {"wide", 1e-6 * (16 + extent / 2)}}};
}

MachineProfile Planted() {
  MachineProfile profile;
  profile.Add({.op = "MatMul",
               .threads = 1,
               .calls = {Call(0), Call(2), Call(4), Call(6), Call(8), Call(10)}});
  return profile;
}

const std::vector<std::string> kKernels = {"narrow", "wide"};

TEST(MachineProfileTest, ACallOfTheGridHasItsOwnRatioWithLittleOfItsNeighbours) {
  const auto ratio = Planted().Compare({.family = "product", .sizes = {0, 6}}, "wide", "narrow");
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->mean, std::log(16.5), 0.25);
}

TEST(MachineProfileTest, FarFromTheCrossingOneKernelIsLeft) {
  const auto few = Planted().Forecast({.family = "product", .sizes = {1, 6}}, kKernels);
  ASSERT_TRUE(few);
  EXPECT_EQ(few->fastest, 0U);
  EXPECT_THAT(few->contenders, ElementsAre(0));
  const auto many = Planted().Forecast({.family = "product", .sizes = {9.5, 6}}, kKernels);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->fastest, 1U);
  EXPECT_THAT(many->contenders, ElementsAre(1));
}

TEST(MachineProfileTest, AtTheCrossingBothAreTimed) {
  // 32 rows: both take 32 us.
  const auto forecast = Planted().Forecast({.family = "product", .sizes = {5, 6}}, kKernels);
  ASSERT_TRUE(forecast);
  EXPECT_THAT(forecast->contenders, ElementsAre(0, 1));
}

TEST(MachineProfileTest, WhatLiesFarFromTheGridIsLessCertain) {
  const MachineProfile profile = Planted();
  const auto near = profile.Compare({.family = "product", .sizes = {10, 6}}, "wide", "narrow");
  const auto far = profile.Compare({.family = "product", .sizes = {10, 16}}, "wide", "narrow");
  ASSERT_TRUE(near && far);
  EXPECT_THAT(far->spread, Gt(near->spread));
  EXPECT_THAT(far->spread, Gt(0.5)) << "ten doublings away";
}

TEST(MachineProfileTest, OtherFamiliesAndKernelsAreUnknown) {
  const MachineProfile profile = Planted();
  EXPECT_FALSE(profile.Forecast({.family = "other", .sizes = {1, 6}}, kKernels));
  const std::vector<std::string> more = {"narrow", "wide", "new"};
  EXPECT_FALSE(profile.Forecast({.family = "product", .sizes = {1, 6}}, more));
  EXPECT_FALSE(MachineProfile().Forecast({.family = "product", .sizes = {1, 6}}, kKernels));
}

TEST(MachineProfileTest, FormatsAreComparedByTheirFastestKernels) {
  MachineProfile profile;
  OperatorProfile part{.op = "MatMul", .threads = 1, .calls = {}};
  for (const double rows : {0.0, 4.0, 8.0}) {
    part.calls.push_back(Call(rows));
    ProfiledCall half = Call(rows, "half");
    for (auto& [kernel, seconds] : half.seconds) {
      seconds *= 1.5;
    }
    half.seconds["other"] = 1;  // slower than both
    part.calls.push_back(half);
  }
  profile.Add(part);
  const CallShape shape{.family = "half", .sizes = {5, 6}};
  const auto ratio = profile.CompareFastest(shape, {.family = "product", .sizes = {5, 6}});
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->mean, std::log(1.5), 1e-9);
  EXPECT_FALSE(profile.CompareFastest(shape, {.family = "unknown", .sizes = {5, 6}}));
}

// Times of a network whose kernels have planted times.
class PlantedTimer : public OperatorTimer {
 public:
  explicit PlantedTimer(std::vector<std::vector<double>> kernel_s)
      : kernel_s_(std::move(kernel_s)) {}

  void Prepare(std::span<const KernelAssignment> variants) override {
    variants_.assign(variants.begin(), variants.end());
  }

  OperatorSample TakeSample(std::size_t variant) override {
    ++samples;
    OperatorSample sample;
    for (std::size_t op = 0; op < kernel_s_.size(); ++op) {
      // One run in four is interrupted.
      sample.operator_s.push_back(kernel_s_[op].at(variants_[variant][op]) *
                                  (samples % 4 == 0 ? 5 : 1));
    }
    return sample;
  }

  void Drop(std::size_t /*variant*/) override { FAIL() << "nothing is dropped"; }

  int samples = 0;

 private:
  std::vector<std::vector<double>> kernel_s_;
  std::vector<KernelAssignment> variants_;
};

std::vector<TunableStep> Steps(const std::vector<std::size_t>& kernel_counts) {
  std::vector<TunableStep> steps;
  for (const std::size_t count : kernel_counts) {
    TunableStep& step = steps.emplace_back();
    step.step = steps.size() - 1;
    step.signature = "op" + std::to_string(step.step);
    step.shape = CallShape{.family = "f", .sizes = {static_cast<double>(step.step)}};
    for (std::size_t k = 0; k < count; ++k) {
      step.kernels.push_back("k" + std::to_string(k));
    }
  }
  return steps;
}

std::vector<ContestedOperator> OperatorsOf(const std::vector<TunableStep>& steps) {
  std::vector<ContestedOperator> operators;
  for (const TunableStep& step : steps) {
    operators.push_back({.signature = step.signature, .kernels = step.kernels});
  }
  return operators;
}

TEST(MeasureProfileTest, EveryKernelOfEveryCallHasItsMedian) {
  PlantedTimer timer({{2e-3, 1e-3}, {4e-3, 5e-3, 6e-3}});
  const auto steps = Steps({2, 3});
  auto operators = OperatorsOf(steps);
  operators[1].count = 2;  // the time of two steps
  const auto calls = MeasureProfile(steps, operators, timer, {.rounds = 9}, {});
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].shape, *steps[0].shape);
  const std::map<std::string, double> first = {{"k0", 2e-3}, {"k1", 1e-3}};
  const std::map<std::string, double> second = {{"k0", 2e-3}, {"k1", 2.5e-3}, {"k2", 3e-3}};
  EXPECT_EQ(calls[0].seconds, first);
  EXPECT_EQ(calls[1].seconds, second);
  EXPECT_EQ(timer.samples, 27);
}

TEST(MeasureProfileTest, AStopLeavesNothing) {
  PlantedTimer timer({{2e-3, 1e-3}});
  const auto steps = Steps({2});
  int asked = 0;
  EXPECT_THAT(MeasureProfile(steps, OperatorsOf(steps), timer, {}, [&] { return ++asked > 3; }),
              IsEmpty());
  EXPECT_THAT(timer.samples, 3);
}

TEST(MeasureProfileTest, KernelsThatAreThereAreTimedAgainOnlyAsALink) {
  OperatorProfile profile{.op = "f", .threads = 1, .calls = {}};
  TunableStep step = Steps({3})[0];
  EXPECT_THAT(KernelsToProfile(step, profile), ElementsAre("k0", "k1", "k2"));
  AddCalls({{.shape = *step.shape, .seconds = {{"k1", 4e-6}, {"k2", 6e-6}}}}, profile);
  EXPECT_THAT(KernelsToProfile(step, profile), ElementsAre("k0", "k1"));
  step.kernels = {"k1", "k2", "k3"};
  EXPECT_THAT(KernelsToProfile(step, profile), ElementsAre("k1", "k3"));
  step.kernels = {"k2", "k1"};
  EXPECT_THAT(KernelsToProfile(step, profile), IsEmpty());

  // Measured when the core was twice as fast.
  AddCalls({{.shape = *step.shape, .seconds = {{"k1", 2e-6}, {"k3", 5e-6}}}}, profile);
  ASSERT_THAT(profile.calls, SizeIs(1));
  const std::map<std::string, double> seconds = {{"k1", 4e-6}, {"k2", 6e-6}, {"k3", 1e-5}};
  EXPECT_EQ(profile.calls[0].seconds, seconds);
}

TEST(MeasureProfileTest, WhatTheClockDoesNotSeeIsLeftOut) {
  PlantedTimer timer({{0, 1e-3}, {0, 0}});
  const auto steps = Steps({2, 2});
  const auto calls = MeasureProfile(steps, OperatorsOf(steps), timer, {}, {});
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0].seconds, SizeIs(1));
}

// Every call of a grid is a step of its own, has a shape, and no other call has the same.
TEST(ProfileNetworkTest, EveryCallHasAShapeOfItsOwn) {
  for (const OpKind op : {OpKind::kConv, OpKind::kGemm, OpKind::kMatMul, OpKind::kQLinearConv,
                          OpKind::kQLinearMatMul}) {
    SCOPED_TRACE(InfoOf(op).name);
    EXPECT_TRUE(HasCallShape(op));
    const auto graph = ProfileNetwork(op);
    ASSERT_TRUE(graph);
    const auto calls =
        std::ranges::count_if(graph->nodes, [&](const Node& node) { return node.op == op; });
    EXPECT_GE(calls, 20);
    std::set<std::pair<std::string, std::vector<double>>> shapes;
    for (const TunableStep& step : TunableSteps(*graph, ReferencePlan(*graph), 1, {}, 1)) {
      if (step.op == InfoOf(op).name) {
        ASSERT_TRUE(step.shape) << step.signature;
        EXPECT_TRUE(shapes.emplace(step.shape->family, step.shape->sizes).second) << step.signature;
      }
    }
    EXPECT_EQ(std::ssize(shapes), calls);
  }
  EXPECT_FALSE(ProfileNetwork(OpKind::kRelu));
  EXPECT_FALSE(HasCallShape(OpKind::kRelu));
}

}  // namespace
}  // namespace halftone
