// What the guides say of single options, a row for each clause; the messages are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Homogeneous;
using ::testing::IsEmpty;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

// x -> Exp "exp" -> Relu "relu"
Graph Chain() {
  PlainGraphBuilder builder;
  const ValueId exp = builder.Node(OpKind::kExp, "exp", {builder.Input("x")});
  return builder.Finish({builder.Node(OpKind::kRelu, "relu", {exp})});
}

TargetSpec FloatTarget() {
  return MakeTarget(
      {{"Exp", Homogeneous(1, {kF16, kF32})}, {"Relu", Homogeneous(1, {kF16, kF32})}});
}

std::vector<std::string> WarningsOf(const PrecisionOptions& options, const Graph& graph = Chain()) {
  return ResolvePrecision(graph, options, FloatTarget()).warnings;
}

// ---- force_fp16 in training ---------------------------------------------------------------------

TEST(ForceFp16InTraining, IsAcceptedWithAWarning) {
  const PrecisionOptions v1{.precision_mode = "force_fp16", .graph_run_mode = "1"};
  EXPECT_THAT(WarningsOf(v1),
              ElementsAre("--precision_mode=force_fp16 in training: newer guides name it for "
                          "online inference; for training they have allow_mix_precision, "
                          "allow_fp32_to_fp16 and must_keep_origin_dtype"));
  EXPECT_EQ(ResolvePrecision(Chain(), v1, FloatTarget()).node(1).compute_dtype(), kF16);
  const PrecisionOptions v2{.precision_mode_v2 = "fp16", .graph_run_mode = "1"};
  EXPECT_THAT(WarningsOf(v2),
              ElementsAre("--precision_mode_v2=fp16 in training: newer guides name it for online "
                          "inference; for training they have allow_mix_precision, "
                          "allow_fp32_to_fp16 and must_keep_origin_dtype"));
  EXPECT_THAT(WarningsOf({.precision_mode = "force_fp16"}), IsEmpty());
  EXPECT_THAT(WarningsOf({.precision_mode = "allow_fp32_to_fp16", .graph_run_mode = "1"}),
              IsEmpty());
}

}  // namespace
}  // namespace halftone
