#include "src/base/strict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(StrictJson, ReadsADocument) {
  const auto value = ParseStrictJson("\xEF\xBB\xBF{\"a\": [1, \"b\"],\r\n \"c\": {}}", "f.json");
  EXPECT_EQ(value["a"][1], "b");
  EXPECT_EQ(JsonTypeName(value), "object");
  EXPECT_EQ(JsonTypeName(value["a"][0]), "number");
}

struct BadCase {
  const char* name;
  std::string text;
  std::string message;
};

class BadJson : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadJson, SaysWhere) {
  try {
    ParseStrictJson(GetParam().text, "f.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

std::string Repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadJson,
    ::testing::Values(
        BadCase{"Empty", "", "f.json: expected JSON, found an empty file"},
        BadCase{"Blank", " \n\t\n", "f.json: expected JSON, found an empty file"},
        BadCase{"Comment", "{\n  // no\n}",
                "f.json:2:3: expected JSON: while parsing object key - invalid literal; last read: "
                "'{<U+000A>  /'; expected string literal"},
        BadCase{"Truncated", "{\"a\": [1,",
                "f.json:1:10: expected JSON: while parsing value - unexpected end of input; "
                "expected '[', '{', or a literal"},
        BadCase{"TrailingComma", "[1,\n2,]",
                "f.json:2:3: expected JSON: while parsing value - unexpected ']'; expected '[', "
                "'{', or a literal"},
        BadCase{"TwoDocuments", "{} {}",
                "f.json:1:4: expected JSON: while parsing value - unexpected '{'; expected end of "
                "input"},
        BadCase{"DuplicateKey", "{\"a\": {\"b\": 1, \"b\": 2}}",
                "f.json: the key 'b' stands twice in one object; keep one of them"},
        BadCase{"DeepArrays", Repeated("[", 100000),
                "f.json: expected at most 64 levels of nesting, found more"},
        BadCase{"DeepObjects", Repeated("{\"a\":", 100000),
                "f.json: expected at most 64 levels of nesting, found more"},
        BadCase{"NotUtf8", "\"\xFF\"",
                "f.json:1:2: expected JSON: while parsing value - invalid string: ill-formed UTF-8 "
                "byte; last read: '\"\\xff'"},
        BadCase{"LongText", "\"" + Repeated("x", 1'000'000),
                "f.json:1:1000002: expected JSON: while parsing value - invalid string: missing "
                "closing quote; last read: '\"" +
                    Repeated("x", 37) + "..." + Repeated("x", 39) + "'"},
        BadCase{"HugeNumber", "[1e999]",
                "f.json: expected JSON: [json.exception.out_of_range.406] number overflow parsing "
                "'1e999'"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
