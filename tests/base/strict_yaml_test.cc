// Malformed documents: tests/training/settings_tree_test.cc, whose reader this is.
#include "src/base/strict_yaml.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(StrictYamlTest, KeepsTheTextOfScalars) {
  const YamlNode root = ParseStrictYaml("[1234, 0x10, 1e3, 'true', yes, None, ~, null, '']", "f");
  ASSERT_EQ(root.items.size(), 9U);
  const char* const texts[] = {"1234", "0x10", "1e3", "true", "yes", "None", "", "", ""};
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    EXPECT_EQ(root.items[i].scalar, texts[i]);
    EXPECT_EQ(root.items[i].quoted, i == 3 || i == 8);
    EXPECT_EQ(root.items[i].IsNull(), i == 6 || i == 7);
  }
}

TEST(StrictYamlTest, GivesItemsOfDocumentsOneByOne) {
  std::string seen;
  ForEachYamlItem("---\na: 1\n...\n---\n- b: [x, [y]]\n- c\n---\n[]\n---\nd\n", "f", {},
                  [&](YamlPlace place, YamlNode item) {
                    seen += std::to_string(place.document) + (place.in_list ? "-" : " ") +
                            YamlFlow(item) + " at " + std::to_string(item.line) + "\n";
                  });
  EXPECT_EQ(seen, "0 {a: 1} at 2\n1-{b: [x, [y]]} at 5\n1-c at 6\n3 d at 10\n");
}

TEST(StrictYamlTest, TextsReadBackAsTexts) {
  const std::string texts[] = {"a",
                               "/layer.1/conv-2_x",
                               "1",
                               "0x10",
                               "1e3",
                               "true",
                               "Yes",
                               "NULL",
                               "~",
                               "",
                               " a ",
                               "-",
                               "a: b",
                               "#",
                               "a\nb\t\"\\",
                               "\x1b[0m\x7f",
                               "\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xe2\x80\xae",
                               "'",
                               "é",
                               "[x",
                               "*a",
                               "&a",
                               "!t",
                               "%",
                               "@"};
  for (const std::string& text : texts) {
    const YamlNode list = ParseStrictYaml("[" + YamlText(text) + "]", "f");
    ASSERT_EQ(list.items.size(), 1U) << text;
    EXPECT_EQ(list.items[0].scalar, text);
    EXPECT_FALSE(list.items[0].IsNull()) << text;
  }
  for (const char* text : {"1", "0x10", "true", "Yes", "NULL", "~", "1e3", "n"}) {
    EXPECT_EQ(YamlText(text), "\"" + std::string(text) + "\"");
  }
  EXPECT_EQ(YamlText("conv1"), "conv1");
  EXPECT_THROW(YamlText("\xff"), Error);
}

TEST(StrictYamlTest, FlowKeepsWhatIsQuoted) {
  const char* const text = R"({a: [1, "1", null, true, "x y", -1.5e+3], "b c": {}, "1": []})";
  EXPECT_EQ(YamlFlow(ParseStrictYaml(text, "f")), text);
  // A plain scalar of several words is a text anyway.
  EXPECT_EQ(YamlFlow(ParseStrictYaml("a: b, c]\n", "f")), R"({a: "b, c]"})");
}

std::string MessageOf(std::string_view text, const YamlRules& rules) {
  try {
    ForEachYamlItem(text, "f", rules, [](YamlPlace, YamlNode) {});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StrictYamlTest, LimitsAreTheCallers) {
  EXPECT_EQ(MessageOf("a: 1", {.most_bytes = 3}), "f:1: expected at most 3 bytes of YAML, found 4");
  EXPECT_EQ(MessageOf("\n- [a]", {.most_levels = 1}),
            "f:2: expected at most 1 levels of nesting, found more");
  EXPECT_EQ(MessageOf("- [a]", {.most_levels = 2}), "accepted");
  EXPECT_EQ(MessageOf("- a: 1\n  a: 2\n", {}), "f:2: 'a' stands twice; keep one of them");
  EXPECT_EQ(MessageOf("# nothing\n", {}), "f:1: expected YAML, found only comments");
  EXPECT_EQ(MessageOf("a\n---\n- b\n- [", {}),
            "f:4: expected a name, found a list; is a closing bracket missing?");
}

// The parser of the library reads no byte of it, and never ends.
TEST(StrictYamlTest, ATextThatIsNeverReadIsRefused) {
  EXPECT_EQ(MessageOf(",<<<<<<: *a\n", {}),
            "f:1: expected YAML, found a text that cannot stand here");
}

TEST(StrictYamlTest, DocumentsMayBeEmpty) {
  int documents = 0;
  ForEachYamlItem("---\n---\n---\n---\na\n", "f", {}, [&](YamlPlace, YamlNode) { ++documents; });
  EXPECT_EQ(documents, 4);
}

}  // namespace
}  // namespace halftone
