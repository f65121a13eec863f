// Strict YAML (and so JSON) into a tree of texts, with limits: no anchors, no duplicate keys, no
// deep nesting, errors with their line. No file can make it hang. Scalars keep their text: 1234,
// 0x10 and yes may be names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct YamlMember;

struct YamlNode {
  enum class Kind : std::uint8_t { kScalar, kMap, kList };

  Kind kind = Kind::kScalar;
  bool quoted = false;              // a scalar in quotes is a text, whatever it looks like
  int line = 1;                     // in the file, from 1
  std::string scalar;               // text; empty for null
  std::vector<YamlMember> members;  // kMap, in the order of the file
  std::vector<YamlNode> items;      // kList

  [[nodiscard]] bool IsNull() const { return kind == Kind::kScalar && !quoted && scalar.empty(); }

  // The member named `key`; null when there is none.
  [[nodiscard]] const YamlNode* Find(std::string_view key) const;
};

// Member of a map; not a std::pair, which needs a complete YamlNode.
struct YamlMember {
  std::string name;
  YamlNode value;
};

struct YamlRules {
  std::string_view what = "YAML";       // "settings in YAML or JSON": for messages
  std::string_view noun = "YAML";       // "settings"
  std::string_view syntax = "YAML";     // "YAML or JSON"
  std::string_view also_null;           // a plain scalar that means null, as ~ and null do
  std::size_t most_bytes = 64U << 10U;  // of the text
  int most_levels = 16;                 // of maps and lists inside each other
};

// Parses a text of one document. Error kUsage, "<where>:<line>: ...": not YAML, more than
// `most_bytes`, deeper than `most_levels`, an alias or anchor (a few lines of them expand to
// gigabytes), a duplicate key, a key that is no scalar, several documents, an empty file.
YamlNode ParseStrictYaml(std::string_view text, std::string_view where,
                         const YamlRules& rules = {});

// Place of an item in its file.
struct YamlPlace {
  int document = 0;      // from 0
  bool in_list = false;  // or it is the whole document
};

// Parses a text of any number of documents. Gives to `take`, one by one, the items of documents
// that are lists, and each other document as a whole; an item that was taken needs no memory any
// more. Errors as ParseStrictYaml(), and those of `take`.
void ForEachYamlItem(std::string_view text, std::string_view where, const YamlRules& rules,
                     const std::function<void(YamlPlace place, YamlNode item)>& take);

// "a map", "a list", "a scalar": how messages name a kind.
std::string_view YamlKindName(YamlNode::Kind kind);

// `text` as a scalar that any YAML reader takes for this text: in double quotes where it could be
// a number, a boolean, null or syntax. Error kUnsupported: bytes that are not UTF-8.
std::string YamlText(const std::string& text);

// A node on one line, in flow style; reads back to a tree of the same texts.
std::string YamlFlow(const YamlNode& node);

}  // namespace halftone
