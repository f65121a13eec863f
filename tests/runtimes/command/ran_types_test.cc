#include "src/runtimes/command/ran_types.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

TEST(RanTypesTest, ComparesNamesOfTypes) {
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId y = builder.Add(OpKind::kRelu, "a", {x});
  const ValueId z = builder.Add(OpKind::kRelu, "b", {y});
  const Graph network = builder.Finish({z});
  PrecisionPlan plan = ReferencePlan(network);
  plan.nodes[1].inputs = {DType::kFloat16};
  plan.nodes[1].outputs = {DType::kFloat16};
  EXPECT_EQ(RanOtherwise(network, plan, {}), "");
  EXPECT_EQ(RanOtherwise(network, plan, {{"a", "Float"}, {"b", "HALF"}}), "");
  EXPECT_EQ(RanOtherwise(network, plan, {{"a", "fp32"}, {"b", "float32"}}),
            "1 of 2 nodes ran in another type than asked, such as 'b' in fp32, not fp16");
  EXPECT_EQ(RanOtherwise(network, plan, {{"a", "tf32"}}),
            "1 of 1 node ran in another type than asked, such as 'a' in tf32, not fp32");
  EXPECT_EQ(RanOtherwise(network, plan, {{"c", "fp16"}, {"a", "int32"}}), "");
}

}  // namespace
}  // namespace halftone
