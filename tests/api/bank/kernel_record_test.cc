#include "src/api/bank/kernel_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
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

// A point alone uses some of the kernels of its front.
TEST(ChangedNodesTest, OfAPartFewerKernelsAreNoChange) {
  const std::string front = "\"a\"\tfloat16 k1, float32 k2\n\"b\"\tfloat32 k1\n";
  EXPECT_THAT(ChangedNodes(front, "\"a\"\tfloat32 k2\n", true), IsEmpty());
  EXPECT_THAT(ChangedNodes(front, "\"a\"\tfloat32 k1\n\"b\"\tfloat32 k1, float32 k3\n", true),
              UnorderedElementsAre("a", "b"));
}

TEST(KernelsByNodeTest, TheRecordComesBack) {
  const std::string record = "\"a \\\"b\\\" \\u00e4\"\tfloat16 k1, float32 k2\n\"c\"\tfloat32 k1\n";
  EXPECT_THAT(KernelsByNode(record), SizeIs(2));
  EXPECT_EQ(RecordOfKernels(KernelsByNode(record)), record);
  EXPECT_THAT(KernelsByNode(""), IsEmpty());
}

}  // namespace
}  // namespace halftone
