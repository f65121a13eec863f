#include "src/aoe/tune_ops_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TuneOpsFileTest, ReadsNamesAndTypes) {
  const TuneOps ops = ParseTuneOps(
      R"({"tune_ops_name": ["loss/MatMul", "Conv_125"], "tune_ops_type": ["Add", "Add"]})", "f");
  EXPECT_THAT(ops.names, ElementsAre("Conv_125", "loss/MatMul"));
  EXPECT_THAT(ops.types, ElementsAre("Add"));
  EXPECT_THAT(ParseTuneOps(R"({"tune_ops_type": []})", "f").types, IsEmpty());
}

struct BadCase {
  const char* name;
  std::string text;
  std::string message;
};

class BadTuneOpsTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadTuneOpsTest, SaysWhere) {
  try {
    ParseTuneOps(GetParam().text, "ops.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"Empty", "", "ops.json: expected JSON, found an empty file"},
    {"Array", "[]",
     "ops.json: expected an object with tune_ops_name or tune_ops_type, found array"},
    {"Neither", "{}", "ops.json: expected tune_ops_name or tune_ops_type, found neither"},
    {"UnknownKey", R"({"tune_op_name": []})",
     "ops.json: the key 'tune_op_name' is not known; expected tune_ops_name or tune_ops_type"},
    {"LongKey", "{\"" + std::string(1 << 20, 'k') + "\": []}",
     "ops.json: the key '" + std::string(38, 'k') + "..." + std::string(39, 'k') +
         "' is not known; expected tune_ops_name or tune_ops_type"},
    {"NotAnArray", R"({"tune_ops_type": "Add"})",
     "ops.json: tune_ops_type: expected an array of strings, found string"},
    {"NotAString", R"({"tune_ops_name": [1]})",
     "ops.json: tune_ops_name: expected names, found number"},
    {"EmptyName", R"({"tune_ops_name": [""]})",
     "ops.json: tune_ops_name: expected names, found an empty one"},
    {"Twice", R"({"tune_ops_name": [], "tune_ops_name": []})",
     "ops.json: the key 'tune_ops_name' stands twice in one object; keep one of them"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadTuneOpsTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
