#include "src/quantization/files/node_precision.h"

#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using Names = std::set<std::string, std::less<>>;

TEST(NodePrecisionTest, ReadsBothListsInBothStyles) {
  const NodePrecisionLists read = ParseNodePrecision(
      "FP16NodeInstanceNames: [conv0_out, bn0_out]\n"
      "FP32NodeInstanceNames:\n"
      "  - \"1234\"\n"
      "  - /layer/norm/Add_output_0\n",
      "f");
  EXPECT_EQ(read.float16, (Names{"bn0_out", "conv0_out"}));
  EXPECT_EQ(read.float32, (Names{"/layer/norm/Add_output_0", "1234"}));
}

TEST(NodePrecisionTest, NumbersAndWordsAreNames) {
  const NodePrecisionLists read = ParseNodePrecision(
      "FP16NodeInstanceNames: [1234, '1234', 0x10, 1e3, 007, true, yes, 'null', -1.5, 1_000, "
      "12:30:45]",
      "f");
  EXPECT_EQ(read.float16, (Names{"1234", "0x10", "1e3", "007", "true", "yes", "null", "-1.5",
                                 "1_000", "12:30:45"}));
}

TEST(NodePrecisionTest, EmptyListsAndAnEmptyMapAreNoNames) {
  EXPECT_EQ(ParseNodePrecision("{}", "f"), NodePrecisionLists{});
  EXPECT_EQ(ParseNodePrecision("FP16NodeInstanceNames: []", "f"), NodePrecisionLists{});
}

TEST(NodePrecisionTest, Golden) {
  NodePrecisionLists precision;
  precision.float16 = {"1234", "conv0_out", "yes", "a b", "/layer.1/Add_output_0"};
  precision.float32 = {"0x10", "quote\"d", "null", "#", "\n"};
  const std::string text = WriteNodePrecision(precision);
  EXPECT_TRUE(testing::MatchesGolden(text, "quantization/node_precision.yaml"));
  EXPECT_EQ(ParseNodePrecision(text, "f"), precision);
}

TEST(NodePrecisionTest, WritesTheNewerKeyOnlyWhereItIsNeeded) {
  EXPECT_EQ(WriteNodePrecision({}), "FP16NodeInstanceNames: []\n");
  EXPECT_EQ(WriteNodePrecision({.float16 = {"a"}, .float32 = {}}),
            "FP16NodeInstanceNames:\n  - a\n");
  EXPECT_EQ(WriteNodePrecision({.float16 = {}, .float32 = {"a"}}),
            "FP32NodeInstanceNames:\n  - a\n");
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadNodePrecisionTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadNodePrecisionTest, SaysWhere) {
  try {
    ParseNodePrecision(GetParam().text, "f.yaml");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

const BadCase kBadCases[] = {
    {"Empty", "", "f.yaml:1: expected node names in YAML, found an empty file"},
    {"List", "[a]",
     "f.yaml:1: expected a map with the keys FP16NodeInstanceNames and FP32NodeInstanceNames, "
     "found "
     "a list"},
    {"AnotherKey", "FP16NodeInstanceNames: [a]\nBF16NodeInstanceNames: [b]\n",
     "f.yaml:2: expected the keys FP16NodeInstanceNames and FP32NodeInstanceNames, found "
     "'BF16NodeInstanceNames'"},
    {"Scalar", "FP16NodeInstanceNames: a\n",
     "f.yaml:1: FP16NodeInstanceNames: expected a list of names, found a scalar; [] is an empty "
     "one"},
    {"Null", "FP32NodeInstanceNames:\n",
     "f.yaml:2: FP32NodeInstanceNames: expected a list of names, found null; [] is an empty one"},
    {"Map", "FP32NodeInstanceNames: {a: b}\n",
     "f.yaml:1: FP32NodeInstanceNames: expected a list of names, found a map; [] is an empty one"},
    {"EntryIsNull", "FP16NodeInstanceNames:\n  - a\n  - ~\n",
     "f.yaml:3: FP16NodeInstanceNames: expected the name of a node's first output, found null"},
    {"EntryIsEmpty", "FP16NodeInstanceNames: ['']\n",
     "f.yaml:1: FP16NodeInstanceNames: expected the name of a node's first output, found an empty "
     "text"},
    {"EntryIsList", "FP16NodeInstanceNames: [[a]]\n",
     "f.yaml:1: FP16NodeInstanceNames: expected the name of a node's first output, found a list"},
    {"BothLists", "FP32NodeInstanceNames: [a, b]\nFP16NodeInstanceNames: [c, 'b']\n",
     "f.yaml:2: 'b' stands in FP16NodeInstanceNames and in FP32NodeInstanceNames; keep one of "
     "them"},
    {"KeyTwice", "FP16NodeInstanceNames: [a]\nFP16NodeInstanceNames: [b]\n",
     "f.yaml:2: 'FP16NodeInstanceNames' stands twice; keep one of them"},
};

INSTANTIATE_TEST_SUITE_P(All, BadNodePrecisionTest, ::testing::ValuesIn(kBadCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
