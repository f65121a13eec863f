#include "src/training/settings_tree.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(SettingsTreeTest, YamlAndJsonGiveTheSameTree) {
  const char* const texts[] = {
      "a:\n  b: 1\n  c: 'x'\nd: [2, null]\n",
      "{\"a\": {\"b\": 1, \"c\": \"x\"}, \"d\": [2, null]}",
      "{\n\t\"a\": {\"b\": 1, \"c\": \"x\"},\r\n\t\"d\": [2, ~]\n}\n",
      "\xEF\xBB\xBF# comment\r\na: {b: 1, c: \"x\"}\r\nd: [2, None]\r\n",
  };
  for (const char* text : texts) {
    const SettingsNode root = ParseSettings(text, "f");
    ASSERT_EQ(root.kind, SettingsNode::Kind::kMap) << text;
    const SettingsNode* a = root.Find("a");
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a->Find("b")->scalar, "1");
    EXPECT_FALSE(a->Find("b")->quoted);
    EXPECT_EQ(a->Find("c")->scalar, "x");
    EXPECT_TRUE(a->Find("c")->quoted);
    EXPECT_EQ(a->Find("e"), nullptr);
    ASSERT_EQ(root.Find("d")->items.size(), 2U);
    EXPECT_EQ(root.Find("d")->items[1].scalar, "");
  }
}

TEST(SettingsTreeTest, KnowsLines) {
  const SettingsNode root = ParseSettings("# c\na:\n  b: 1\n", "f");
  EXPECT_EQ(root.Find("a")->Find("b")->line, 3);
}

std::string Repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

struct BadCase {
  const char* name;
  std::string text;
  std::string message;
};

class BadSettingsTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadSettingsTest, SaysWhere) {
  try {
    ParseSettings(GetParam().text, "f.yaml");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

const BadCase kBad[] = {
    {"Empty", "", "f.yaml:1: expected settings in YAML or JSON, found an empty file"},
    {"Blank", " \n\r\n\t", "f.yaml:1: expected settings in YAML or JSON, found an empty file"},
    {"Binary",
     std::string("\x7F"
                 "ELF\0\1",
                 6),
     "f.yaml:1: expected settings in YAML or JSON, found a binary file"},
    {"LongLine", "a: " + std::string(1 << 20, 'x'),
     "f.yaml:1: expected at most 65536 bytes of settings, found 1048579"},
    {"Twice", "a: 1\nb: 2\na: 3\n", "f.yaml:3: 'a' stands twice; keep one of them"},
    {"TwiceInJson", "{\"a\": 1,\n\"a\": 1}", "f.yaml:2: 'a' stands twice; keep one of them"},
    {"Alias", "a: &x 1\nb: *x\n",
     "f.yaml:1: anchors and aliases are not read; write the value out"},
    {"UnknownAlias", "a: 1\nb: *x\n",
     "f.yaml:2: expected YAML or JSON: the referenced anchor is "
     "not defined"},
    {"Bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
     "f.yaml:1: anchors and aliases are not read; write the value out"},
    {"Deep", Repeated("[", 30000) + Repeated("]", 30000),
     "f.yaml:1: expected at most 16 levels of nesting, found more"},
    {"DeepMaps", Repeated("{a: ", 10000) + "1" + Repeated("}", 10000),
     "f.yaml:1: expected at most 16 levels of nesting, found more"},
    {"DeepUnclosed", Repeated("[", 60000),
     "f.yaml:1: expected a name, found a list; is a closing bracket missing?"},
    {"TwoDocuments", "a: 1\n---\nb: 1\n", "f.yaml:3: expected one document, found a second one"},
    {"ListAsKey", "? [a, b]\n: 1\n",
     "f.yaml:1: expected a name, found a list; is a closing bracket missing?"},
    {"BrokenJson", "{\"a\": 1",
     "f.yaml:1: expected a name, found a map; is a closing bracket missing?"},
    {"BrokenYaml", "a: 1\n b: 2\n", "f.yaml:2: expected YAML or JSON: illegal map value"},
};

INSTANTIATE_TEST_SUITE_P(Files, BadSettingsTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
