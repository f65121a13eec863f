#include "src/api/bank/kernel_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(KernelRecordTest, ALineForEachNodeWithItsKernelsOfEveryDType) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {4, 64});
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {64, 48}));
  x = builder.Add(OpKind::kMatMul, "a \"product\"", {x, w});
  const Graph graph = builder.Finish({x});
  const PrecisionOptions modes[] = {{.precision_mode = "force_fp16"},
                                    {.precision_mode = "no_such_mode"}};
  const std::string record = KernelRecord(graph, LoadTarget("host"), modes, {});
  EXPECT_THAT(record, ::testing::StartsWith("\"a \\\"product\\\"\"\tfloat16 "));
  EXPECT_THAT(record, HasSubstr(", float32 "));
  EXPECT_EQ(std::count(record.begin(), record.end(), '\n'), 1);
  EXPECT_EQ(KernelRecord(graph, LoadTarget("host"), modes, {}), record);
}

TEST(ChangedNodesTest, OtherKernelsAndNodesOfOneSideOnly) {
  const std::string before = "\"a\"\tfloat32 k1\n\"b\"\tfloat32 k1\n\"gone \\u00e4\"\tfloat32 k1\n";
  const std::string after = "\"a\"\tfloat32 k1\n\"b\"\tfloat32 k2\n\"new\"\tfloat32 k1\n";
  EXPECT_THAT(ChangedNodes(before, after), UnorderedElementsAre("b", "gone \xC3\xA4", "new"));
  EXPECT_THAT(ChangedNodes(before, before), IsEmpty());
}

}  // namespace
}  // namespace halftone
