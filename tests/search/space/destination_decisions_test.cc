// What a plan for another runtime may have in 8 bits: only what that runtime computes in 8 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/space/decisions.h"
#include "src/exec/destination_target.h"
#include "tests/support/net.h"
#include "tests/support/quantized_plan.h"

namespace halftone {
namespace {

using ::testing::Contains;
using testing::Net;
using ::testing::Not;

// conv1 -> HardSwish -> conv2 + x -> Relu -> Tanh -> conv3, all of 4 channels.
struct Network {
  explicit Network(const Destination& destination) : target(DestinationTarget(destination)) {
    Net net;
    const ValueId x = net.Image();
    const ValueId conv1 = net.Conv("conv1", x, 4);
    const ValueId swish = net.Add(OpKind::kHardSwish, "swish", {conv1});
    const ValueId conv2 = net.Conv("conv2", swish, 4);
    const ValueId sum = net.Add(OpKind::kAdd, "sum", {conv2, x});
    const ValueId relu = net.Add(OpKind::kRelu, "relu", {sum});
    const ValueId tanh = net.Add(OpKind::kTanh, "tanh", {relu});
    graph = net.Finish({net.Conv("conv3", tanh, 4)});
    graph.fusions_off.insert(destination.fusions_off.begin(), destination.fusions_off.end());
    Rng rng(1);
    const std::vector<Tensor> sample = {
        testing::RandomTensor({DType::kFloat32, {2, 4, 3, 5}}, rng, -1, 1)};
    quantization = SharedQuantization(testing::RangesOn(graph, {{sample}}));
  }

  [[nodiscard]] Decisions Decide() const {
    return {
        graph, target, {.formats = {*NumericFormat::Named("qint8")}, .quantization = quantization}};
  }

  TargetSpec target;
  Graph graph;
  SharedQuantization quantization;
};

std::vector<std::string> ScaledNodes(const Decisions& decisions, bool wide) {
  const NumericFormat int8 = *NumericFormat::Named("qint8");
  Assignment all = decisions.Uniform({.format = int8});
  for (std::size_t g = 0; g < all.size(); ++g) {
    const std::vector<Choice>& choices = decisions.groups()[g].choices;
    const auto found = std::ranges::find_if(choices, [&](const Choice& choice) {
      return choice.format == int8 && choice.wide == wide;
    });
    all[g] = found == choices.end() ? all[g] : static_cast<std::size_t>(found - choices.begin());
  }
  const PrecisionPlan plan = decisions.PlanFor(all);
  std::vector<std::string> names;
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    if (plan.nodes[n].compute_format().is_scaled() &&
        (!wide || !plan.nodes[n].outputs[0].is_scaled())) {
      names.push_back(decisions.graph().nodes[n].name);
    }
  }
  return names;
}

TEST(DestinationDecisionsTest, ProductsAreIn8BitsAndFunctionsThatTheRuntimeLacksAreNot) {
  for (const Destination& destination : Destinations()) {
    SCOPED_TRACE(destination.name);
    const Network network(destination);
    const std::vector<std::string> scaled = ScaledNodes(network.Decide(), false);
    for (const char* name : {"conv1", "conv2", "sum", "relu", "conv3"}) {
      EXPECT_THAT(scaled, Contains(name));
    }
    for (const char* name : {"swish", "tanh"}) {  // in no row
      EXPECT_THAT(scaled, Not(Contains(name)));
    }
  }
}

// QLinearConv always has integers as its result.
TEST(DestinationDecisionsTest, AFloat32ResultOf8BitsIsThereWhereTheRuntimeHasIt) {
  for (const Destination& destination : Destinations()) {
    SCOPED_TRACE(destination.name);
    const Network network(destination);
    const std::vector<std::string> wide = ScaledNodes(network.Decide(), true);
    EXPECT_EQ(std::ranges::count(wide, "conv3") > 0, IsWideOn(destination, OpKind::kConv))
        << ::testing::PrintToString(wide);
  }
}

// Where the sum is no operand of the convolution, its result is rounded before it is added.
TEST(DestinationDecisionsTest, ASumIsAStepOfItsOwnWhereTheRuntimeDoesNotFuseIt) {
  for (const Destination& destination : Destinations()) {
    SCOPED_TRACE(destination.name);
    const Network network(destination);
    const Decisions decisions = network.Decide();
    const bool apart = std::ranges::count(destination.fusions_off, "fuse_residual") > 0;
    EXPECT_EQ(decisions.GroupOf(2) != decisions.GroupOf(3), apart);
    EXPECT_EQ(apart, destination.flavour == "ort" && destination.name != "openvino");
  }
}

}  // namespace
}  // namespace halftone
