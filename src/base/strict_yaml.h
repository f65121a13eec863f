// Parser of strict YAML, and so of JSON, into a tree of texts. Anchors, duplicate keys and deep
// nesting are refused, so that no file takes unbounded time or memory. Errors name their line.
// Scalars keep their text, because 1234, 0x10 and yes may be names.
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
  bool quoted = false;              // of a scalar: true if quotes make it a text
  int line = 1;                     // line of the file, from 1
  std::string scalar;               // text; empty for null
  std::vector<YamlMember> members;  // kMap, in the order of the file
  std::vector<YamlNode> items;      // kList

  [[nodiscard]] bool IsNull() const { return kind == Kind::kScalar && !quoted && scalar.empty(); }

  // Returns the member with this name; null: there is none.
  [[nodiscard]] const YamlNode* Find(std::string_view key) const;
};

// Member of a map. A std::pair would need a complete YamlNode.
struct YamlMember {
  std::string name;
  YamlNode value;
};

// Limits of the parser, and words for its messages.
struct YamlRules {
  std::string_view what = "YAML";       // what a file should hold: "settings in YAML or JSON"
  std::string_view noun = "YAML";       // name of the content: "settings"
  std::string_view syntax = "YAML";     // name of the syntax: "YAML or JSON"
  std::string_view also_null;           // a plain scalar that means null, beside ~ and null
  std::size_t most_bytes = 64U << 10U;  // most bytes of the text
  int most_levels = 16;                 // most levels of nested maps and lists
};

// Parses a text with one document. `where`: name of the file. Error kUsage, "<where>:<line>: ...":
// an empty or binary file, not YAML, more than `most_bytes`, deeper than `most_levels`, an alias or
// anchor (a few lines of them expand to gigabytes), a duplicate key, a key that is no scalar, or
// several documents.
YamlNode ParseStrictYaml(std::string_view text, std::string_view where,
                         const YamlRules& rules = {});

// Position of an item in its file.
struct YamlPlace {
  int document = 0;      // index of the document, from 0
  bool in_list = false;  // true: an item of a list; false: the whole document
};

// Parses a text with any number of documents. Calls `take` with each item of a document that is a
// list, and with each other document as a whole. Items that were taken are not held in memory.
// Errors as ParseStrictYaml(), except for several documents; errors of `take` pass through.
void ForEachYamlItem(std::string_view text, std::string_view where, const YamlRules& rules,
                     const std::function<void(YamlPlace place, YamlNode item)>& take);

// Returns the kind for messages: "a map", "a list", "a scalar".
std::string_view YamlKindName(YamlNode::Kind kind);

// Writes `text` as a scalar that every YAML reader reads as this text. A text that could be a
// number, a boolean, null or syntax is put in double quotes. Error kUnsupported: bytes that are not
// UTF-8.
std::string YamlText(const std::string& text);

// Writes a node on one line, in flow style. ParseStrictYaml() reads it back to a tree with the same
// texts. Error kUnsupported as YamlText().
std::string YamlFlow(const YamlNode& node);

}  // namespace halftone
