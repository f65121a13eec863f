#include "knowledge_base/profile_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MessageOf(const std::string& text) {
  try {
    CallsFromJson(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
    return error.what();
  }
  return "no error";
}

TEST(ProfileJsonTest, ComesBack) {
  const std::vector<ProfiledCall> calls = testing::SampleProfile(2).calls;
  EXPECT_EQ(CallsFromJson(CallsToJson(calls)), calls);
  EXPECT_EQ(CallsToJson({}), R"({"calls":[],"schema":1})");
  EXPECT_TRUE(CallsFromJson(CallsToJson({})).empty());
}

// As it is in banks: their checksums cover the text.
TEST(ProfileJsonTest, Golden) {
  EXPECT_EQ(CallsToJson({{{.shape = {.family = "MatMul", .sizes = {5, 0.1}},
                           .seconds = {{"a", 1e-5}, {"b", 0.25}}}}}),
            R"({"calls":[{"family":"MatMul","seconds":{"a":1e-05,"b":0.25},"sizes":[5.0,0.1]}],)"
            R"("schema":1})");
}

TEST(ProfileJsonTest, NumbersComeBackBitForBit) {
  const std::vector<double> numbers = {-0.0, 1.0 / 3, 0x1p-1074, 0x1.fffffffffffffp1023,
                                       std::nextafter(0.1, 1)};
  const std::vector<ProfiledCall> calls = CallsFromJson(
      CallsToJson({{{.shape = {.family = "a", .sizes = numbers}, .seconds = {{"k", 1}}}}}));
  ASSERT_EQ(calls[0].shape.sizes.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::int64_t>(calls[0].shape.sizes[i]),
              std::bit_cast<std::int64_t>(numbers[i]));
  }
}

struct Damage {
  const char* name;
  const char* pointer;  // to the value in the text of SampleProfile()
  const char* value;    // in its place
  const char* message;
};

const Damage kDamages[] = {
    {"NewerSchema", "/schema", "2",
     "expected schema 1, found 2: it was written by another version"},
    {"SchemaIsAText", "/schema", R"("1")", "expected schema 1, found \"1\""},
    {"NoObject", "", "[1]", "expected schema 1, found null"},
    {"UnknownKey", "/mood", "1", "the whole: expected an object with calls, schema, found {"},
    {"CallsAreAnObject", "/calls", "{}", "calls: expected an array, found {}"},
    {"ACallIsANumber", "/calls/1", "7",
     "call 2: expected an object with family, seconds, sizes, found 7"},
    {"NoSizes", "/calls/0", R"({"family":"a","seconds":{"k":1}})",
     "call 1: expected an object with family, seconds, sizes, found {"},
    {"UnknownKeyOfACall", "/calls/0/mood", "1",
     "call 1: expected an object with family, seconds, sizes, found {"},
    {"FamilyIsNull", "/calls/0/family", "null", "call 1, family: expected a text, found null"},
    {"NoFamily", "/calls/0/family", R"("")", "call 1: expected a family, found an empty text"},
    {"SizesAreANumber", "/calls/0/sizes", "5", "call 1, sizes: expected an array, found 5"},
    {"ASizeIsNull", "/calls/0/sizes/1", "null", "call 1, sizes: expected a number, found null"},
    {"ASizeIsABoolean", "/calls/0/sizes/1", "true", "call 1, sizes: expected a number, found true"},
    {"OtherNumberOfSizes", "/calls/1/sizes", "[1,2]",
     "call 2: expected 3 sizes, as the first call of family 'MatMul float32 -> float32 "
     "high_precision' has, found 2"},
    {"SecondsAreAnArray", "/calls/0/seconds", "[1]",
     "call 1, seconds: expected an object, found [1]"},
    {"NoKernels", "/calls/2/seconds", "{}", "call 3: expected at least one kernel, found none"},
    {"AKernelWithoutAName", "/calls/2/seconds", R"({"":1})",
     "call 3: expected the name of a kernel, found an empty text"},
    {"SecondsAreAText", "/calls/0/seconds/k", R"("1")",
     "call 1, seconds: expected a number, found \"1\""},
    {"NoTime", "/calls/0/seconds/k", "0",
     "call 1: expected finite seconds above 0 for kernel 'k', found 0"},
    {"NegativeTime", "/calls/0/seconds/k", "-0.5",
     "call 1: expected finite seconds above 0 for kernel 'k', found -0.5"},
};

class ProfileJsonDamageTest : public ::testing::TestWithParam<Damage> {};

TEST_P(ProfileJsonDamageTest, IsRefusedWithWhatWasExpectedAndFound) {
  json text = json::parse(CallsToJson(testing::SampleProfile(2).calls));
  text[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  const std::string message = MessageOf(text.dump());
  EXPECT_THAT(message, StartsWith("a stored operator profile: "));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Table, ProfileJsonDamageTest, ::testing::ValuesIn(kDamages),
                         [](const auto& row) { return row.param.name; });

TEST(ProfileJsonTest, TextThatIsNoStrictJsonIsRefused) {
  EXPECT_THAT(MessageOf(""), StartsWith("a stored operator profile: expected JSON"));
  EXPECT_THAT(MessageOf(R"({"schema":1,"calls":[)"), HasSubstr("expected JSON"));
  EXPECT_THAT(MessageOf(R"({"schema":1,"calls":[],"calls":[]})"),
              HasSubstr("the key 'calls' stands twice in one object"));
  EXPECT_THAT(
      MessageOf(R"({"schema":1,"calls":[{"family":"a","seconds":{"k":1e999},"sizes":[]}]})"),
      HasSubstr("expected JSON"));
}

}  // namespace
}  // namespace halftone
