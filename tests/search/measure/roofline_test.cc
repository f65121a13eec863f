// Times that a roofline predicts: products, bytes and casts of small networks, counted by hand.
#include "search/measure/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/measure/network_measurer.h"
#include "src/exec/destination_target.h"
#include "src/ir/ir_type.h"
#include "src/target/destinations.h"
#include "src/target/target_spec.h"
#include "tests/support/graph_builder.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using testing::GraphBuilder;

TargetSpec DeviceOf(double float16, double bandwidth) {
  TargetSpec target;
  target.name = "Device";
  target.roofline = {{"cube_float16", float16, "TFLOP/s", "a test"},
                     {"memory_bandwidth", bandwidth, "GB/s", "a test"}};
  return target;
}

// y = x [8, 16] times w [16, 32]: 2 * 8 * 32 * 16 operations.
Graph Product() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {8, 16});
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {16, 32}));
  return builder.Finish({builder.Add(OpKind::kMatMul, "product", {x, w})});
}

PrecisionPlan In(const Graph& graph, NumericFormat format) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), format);
    node.outputs.assign(node.outputs.size(), format);
  }
  return plan;
}

constexpr double kOperations = 2.0 * 8 * 32 * 16;
constexpr double kElements = 8 * 16 + 16 * 32 + 8 * 32;

TEST(RooflineTest, ProductsOrBytesWhicheverTakesLonger) {
  const Graph graph = Product();
  EXPECT_EQ(ProductOperations(graph, graph.node(0)), kOperations);
  const Roofline slow_cube(DeviceOf(1e-6, 1e9));
  EXPECT_DOUBLE_EQ(slow_cube.SecondsOf(graph, ReferencePlan(graph)), kOperations / 0.25e6)
      << "float32 at a quarter";
  const Roofline slow_memory(DeviceOf(1e9, 1e-6));
  EXPECT_DOUBLE_EQ(slow_memory.SecondsOf(graph, ReferencePlan(graph)), kElements * 4 / 1e3);
}

// relu -> product, which reads 8 bits and makes float16: relu writes the integers, and float16 only
// for what reads that.
TEST(RooflineTest, QuantizationOfAscendLayersIsPartOfWhatMakesTheirOperands) {
  for (const bool is_output : {false, true}) {
    GraphBuilder builder;
    const ValueId x = builder.Input("x", {8, 16}, DType::kFloat16);
    const ValueId relu = builder.Add(OpKind::kRelu, "relu", {x});
    const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {16, 32}));
    const ValueId product = builder.Add(OpKind::kMatMul, "product", {relu, w});
    const Graph graph =
        builder.Finish(is_output ? std::vector{product, relu} : std::vector{product});
    PrecisionPlan plan = In(graph, DType::kFloat16);
    plan.nodes[1].inputs.assign(2, *NumericFormat::Named("qint8"));
    const StepTimes times = Roofline(DeviceOf(1e9, 1e-6)).StepsOf(graph, plan, 1);
    EXPECT_DOUBLE_EQ(times.nodes.at("product"), (8 * 16 + 16 * 32 + 8 * 32 * 2) / 1e3);
    EXPECT_DOUBLE_EQ(times.nodes.at("relu"), 8 * 16 * (is_output ? 4 : 3) / 1e3);
    ASSERT_EQ(times.casts.size(), is_output ? 1U : 0U);
    if (is_output) {
      EXPECT_DOUBLE_EQ(times.casts[0].second, 8 * 16 / 1e3);
    }
  }
}

// x is float32 outside: read as float16 it is cast, 6 bytes an element; weights are cast before.
TEST(RooflineTest, CastsOfComputedValuesAreMoved) {
  const Graph graph = Product();
  const Roofline slow_memory(DeviceOf(1e9, 1e-6));
  const StepTimes times = slow_memory.StepsOf(graph, In(graph, DType::kFloat16), 1);
  ASSERT_EQ(times.casts.size(), 1U);
  EXPECT_EQ(times.casts[0].first, 8 * 16);
  EXPECT_DOUBLE_EQ(times.casts[0].second, 8 * 16 * 6 / 1e3);
  EXPECT_DOUBLE_EQ(times.nodes.at("product"), kElements * 2 / 1e3);
  EXPECT_DOUBLE_EQ(times.total, times.casts[0].second + times.nodes.at("product"));
}

TEST(RooflineTest, FormatsWithAScaleAreBytes) {
  const Graph graph = Product();
  const PrecisionPlan plan = In(graph, *NumericFormat::Named("qint8"));
  const Roofline slow_memory(DeviceOf(1e9, 1e-6));
  const StepTimes times = slow_memory.StepsOf(graph, plan, 1);
  ASSERT_EQ(times.casts.size(), 1U);
  EXPECT_DOUBLE_EQ(times.casts[0].second, 8 * 16 * 5 / 1e3) << "4 bytes are read, 1 is written";
  EXPECT_DOUBLE_EQ(times.nodes.at("product"), kElements / 1e3);
  TargetSpec device = DeviceOf(1e-6, 1e9);
  EXPECT_NEAR(Roofline(device).SecondsOf(graph, plan), kOperations / 2e6, 1e-9)
      << "twice the rate of float16, where no figure says";
  device.roofline.push_back({"cube_int8", 8e-6, "TOP/s", "a test"});
  EXPECT_NEAR(Roofline(device).SecondsOf(graph, plan), kOperations / 8e6, 1e-9);
}

// A device without float32 products: what it has that is most precise takes as long as itself.
TEST(RooflineTest, LatenciesAreRatiosToTheAnchor) {
  const Graph graph = Product();
  TargetSpec device = DeviceOf(1e-6, 1e9);
  for (const std::string_view type : IrTypesOf(OpKind::kMatMul)) {
    device.ai_core.emplace(type, testing::Homogeneous(2, {DType::kFloat16}));
  }
  const Anchor anchor = AnchorOf(graph, device);
  ASSERT_FALSE(anchor.is_float32());
  const Roofline roofline(device);
  EXPECT_EQ(roofline.AnchorSeconds(graph), roofline.SecondsOf(graph, anchor.plan));
  EXPECT_LT(roofline.AnchorSeconds(graph), roofline.SecondsOf(graph, ReferencePlan(graph)));
  const Dataset samples({{.name = "s", .inputs = {Tensor(DType::kFloat32, {8, 16})}}});
  NetworkMeasurer measurer(graph, samples, {.threads = 1, .latency = RooflineOf(device)});
  EXPECT_EQ(measurer.Confirm(anchor.plan).ratio, 1);
  // A quarter of the rate; the casts of the anchor move at most 8 bytes an element at 1e18 bytes/s.
  constexpr double kCasts = kElements * 8 / 1e18 / (kOperations / 1e6);
  EXPECT_NEAR(measurer.Confirm(In(graph, DType::kFloat32)).ratio, 4, 4 * kCasts);
}

TEST(RooflineTest, OperationsOfConvolutions) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 4, 8, 8});
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {6, 2, 3, 3}));
  Attributes attributes;
  attributes.Set("group", std::int64_t{2});
  attributes.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  const Graph graph = builder.Finish({builder.Add(OpKind::kConv, "conv", {x, w}, attributes)});
  EXPECT_EQ(ProductOperations(graph, graph.node(0)), 2.0 * 6 * 8 * 8 * 2 * 3 * 3);
}

TEST(RooflineTest, TheSourceOfItsFiguresIsNamed) {
  EXPECT_EQ(Roofline(DeviceOf(20, 100)).description(),
            "predicted for Device by the roofline of 20 TFLOP/s in float16 and 100 GB/s");
  TargetSpec without = DeviceOf(1, 1);
  without.roofline.clear();
  EXPECT_EQ(Roofline(without).description(),
            "predicted for Device by the roofline of 70 TFLOP/s in float16 and 205 GB/s (of "
            "Ascend310P3: its own data file has no figures)");
}

// product [8, 32], then relu of it, on a runtime of 1 TFLOP/s in float32, 4 TOP/s in int8 and 1
// GB/s whose borders take three times as long as their bytes.
struct Planted {
  Planted(double tops, double gigabytes)
      : destination{.name = "planted",
                    .runtime = "a planted runtime",
                    .flavour = "ort",
                    .has_zero_points = true,
                    .scaled = {},
                    .wide = {},
                    .fusions_off = {},
                    .float32 = tops,
                    .float16 = tops,
                    .bfloat16 = tops,
                    .int8 = 4 * tops,
                    .bandwidth = gigabytes,
                    .conversion = 3,
                    .source = "a test"},
        target(DestinationTarget(destination)) {
    GraphBuilder builder;
    const ValueId x = builder.Input("x", {8, 16});
    const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {16, 32}));
    const ValueId product = builder.Add(OpKind::kMatMul, "product", {x, w});
    graph = builder.Finish({builder.Add(OpKind::kRelu, "relu", {product})});
    plan = ReferencePlan(graph);
  }

  void SetScaled(std::size_t node) {
    plan.nodes[node].inputs.assign(plan.nodes[node].inputs.size(), *NumericFormat::Named("qint8"));
    plan.nodes[node].outputs.assign(1, *NumericFormat::Named("qint8"));
  }

  Destination destination;
  TargetSpec target;
  Graph graph;
  PrecisionPlan plan;
};

TEST(RooflineTest, ADestinationCountsProductsBytesAndBordersByItsRow) {
  constexpr double kX = 8 * 16;
  constexpr double kW = 16 * 32;
  constexpr double kY = 8 * 32;
  {  // Bytes alone: 1e3 a second, products at no cost.
    Planted planted(1e9, 1e-6);
    const Roofline roofline(planted.target);
    EXPECT_DOUBLE_EQ(roofline.SecondsOf(planted.graph, planted.plan),
                     4 * (kX + kW + kY + 2 * kY) / 1e3);
    planted.SetScaled(0);  // border of x before, of y behind
    EXPECT_DOUBLE_EQ(roofline.SecondsOf(planted.graph, planted.plan),
                     (3 * 5 * kX + (kX + kW + kY) + 3 * 5 * kY + 8 * kY) / 1e3);
    planted.SetScaled(1);  // the output of the network is a border, too
    EXPECT_DOUBLE_EQ(roofline.SecondsOf(planted.graph, planted.plan),
                     (3 * 5 * kX + (kX + kW + kY) + 2 * kY + 3 * 5 * kY) / 1e3);
  }
  Planted planted(1e-6, 1e9);  // Products alone: 1e6 a second.
  const Roofline roofline(planted.target);
  const auto near = [](double seconds) { return ::testing::DoubleNear(seconds, 1e-9 * seconds); };
  EXPECT_THAT(roofline.SecondsOf(planted.graph, planted.plan), near(kOperations / 1e6));
  EXPECT_EQ(ScaledShare(planted.graph, planted.plan), 0);
  planted.SetScaled(0);
  EXPECT_THAT(roofline.SecondsOf(planted.graph, planted.plan), near(kOperations / 4e6));
  EXPECT_EQ(ScaledShare(planted.graph, planted.plan), 1);
  EXPECT_EQ(roofline.description(),
            "predicted for a planted runtime by the roofline of 4e-06 TOP/s in int8, 1e-06 TFLOP/s "
            "in float32 and 1e+09 GB/s");
}

}  // namespace
}  // namespace halftone
