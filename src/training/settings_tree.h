// Parser of small YAML or JSON documents into a tree, with limits: no file can make it hang.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct SettingsMember;

struct SettingsNode {
  enum class Kind : std::uint8_t { kScalar, kMap, kList };

  Kind kind = Kind::kScalar;
  int line = 1;                         // in the file, from 1
  std::string scalar;                   // text; empty for null
  bool quoted = false;                  // a scalar in quotes is a text, whatever it looks like
  std::vector<SettingsMember> members;  // kMap, in the order of the file
  std::vector<SettingsNode> items;      // kList

  // The member named `key`; null when there is none.
  [[nodiscard]] const SettingsNode* Find(std::string_view key) const;
};

// Member of a map; not a std::pair, which needs a complete SettingsNode.
struct SettingsMember {
  std::string name;
  SettingsNode value;
};

inline constexpr std::size_t kMostSettingsBytes = 64U << 10U;
inline constexpr int kMostSettingsLevels = 16;

// Parses a document. Error kUsage, "<where>:<line>: ...": not YAML or JSON, more than
// kMostSettingsBytes, deeper than kMostSettingsLevels, an alias or anchor (a few lines of them
// expand to gigabytes), a duplicate key, a key that is no scalar, several documents, an empty file.
SettingsNode ParseSettings(std::string_view text, std::string_view where);

// "a map", "a list", "a scalar": how messages name a kind.
std::string_view KindName(SettingsNode::Kind kind);

}  // namespace halftone
