// Probes of products in dynamic int8: their whole error is that of the choice, whatever makes what
// they read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/measure/network_measurer.h"
#include "search/model/additive_model.h"
#include "search/probe/error_probes.h"
#include "src/base/rng.h"
#include "src/exec/dynamic_products.h"
#include "src/exec/host_target.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using testing::GraphBuilder;

const NumericFormat kDynamic = *NumericFormat::Named("dint8");

Tensor Random(Shape shape, std::uint64_t seed) {
  Rng rng(seed);
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  return tensor;
}

TEST(DynamicProbes, TheErrorOfTheChoiceIsThatOfThePlan) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {3, 40});
  const ValueId wide = net.Add(OpKind::kMatMul, "wide",
                               {x, net.Constant("w", Random({40, kLeastDynamicColumns}, 1))});
  const Graph graph = net.Finish({net.Add(OpKind::kTanh, "tanh", {wide})});
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {kDynamic}});
  ASSERT_EQ(decisions.groups().size(), 1U);
  std::vector<Sample> samples;
  for (std::uint64_t s = 0; s < 3; ++s) {
    samples.push_back({"sample " + std::to_string(s), {Random({3, 40}, 2 + s)}});
  }
  const Dataset dataset(samples);
  const ThreadPool pool(1);
  ErrorProbes probes(decisions, dataset, {.min_samples = 4}, pool);
  // Float32 has more than one implementation on some CPUs.
  const std::vector<Choice>& choices = decisions.groups()[0].choices;
  const auto dynamic = std::ranges::find(choices, kDynamic, &Choice::format);
  ASSERT_NE(dynamic, choices.end());
  const Assignment assignment = {static_cast<std::size_t>(dynamic - choices.begin())};
  const Sensitivity sensitivity{.groups = probes.ProbeAll(), .weights = probes.cache().weights()};

  const GroupSensitivity& group = sensitivity.groups[0];
  for (const double error : group.Of(kDynamic).errors) {
    EXPECT_EQ(error, 0);
  }
  EXPECT_GT(group.Of(kDynamic).rounding.operands, 0);
  EXPECT_EQ(group.Of(kDynamic).rounding.results, 0);
  const NetworkMeasurer measurer(graph, dataset, {.quick_budget_s = 0.001});
  const auto outcome = measurer.MeasureAccuracy(decisions.PlanFor(assignment));
  const double loss = std::get<Accuracy>(outcome).Mean("rel_l2");
  EXPECT_GT(loss, 1e-4);
  EXPECT_NEAR(AdditiveModel(decisions, sensitivity).Predict(assignment).loss, loss, 0.05 * loss);
}

// An error of 8 bits grows otherwise on its way than one of 16 bits, whose predictions it must not
// change.
TEST(DynamicProbes, Errors16BitsAreThoseWithoutDynamicInt8) {
  GraphBuilder net;
  const ValueId x = net.Input("x", {3, 40});
  const ValueId wide = net.Add(OpKind::kMatMul, "wide",
                               {x, net.Constant("w", Random({40, kLeastDynamicColumns}, 1))});
  const ValueId act = net.Add(OpKind::kTanh, "tanh", {wide});
  const Graph graph = net.Finish({net.Add(
      OpKind::kMatMul, "last", {act, net.Constant("v", Random({kLeastDynamicColumns, 5}, 2))})});
  const TargetSpec target = HostTarget();
  std::vector<Sample> samples;
  for (std::uint64_t s = 0; s < 3; ++s) {
    samples.push_back({"sample " + std::to_string(s), {Random({3, 40}, 3 + s)}});
  }
  const Dataset dataset(samples);
  const ThreadPool pool(1);
  // Errors of the first group in bfloat16.
  const auto errors_in = [&](std::vector<NumericFormat> formats) {
    const Decisions decisions(graph, target, {.formats = std::move(formats)});
    ErrorProbes probes(decisions, dataset, {.min_samples = 4}, pool);
    const std::vector<Choice>& choices = decisions.groups()[0].choices;
    const GroupSensitivity sensitivity = probes.ProbeAll().front();
    const auto choice =
        std::ranges::find(choices, NumericFormat(DType::kBFloat16), &Choice::format);
    return sensitivity.choices.at(static_cast<std::size_t>(choice - choices.begin())).errors;
  };
  const std::vector<double> without = errors_in({DType::kBFloat16});
  EXPECT_GT(without.at(0), 0);
  EXPECT_EQ(errors_in({DType::kBFloat16, kDynamic}), without);
}

}  // namespace
}  // namespace halftone
