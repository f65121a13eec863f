#include "src/quantization/files/node_precision.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/strict_yaml.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kFloat16 = "FP16NodeInstanceNames";
constexpr std::string_view kFloat32 = "FP32NodeInstanceNames";

[[noreturn]] void ThrowAt(std::string_view where, int line, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where, line, what));
}

std::string_view Kind(const YamlNode& node) {
  return node.IsNull() ? "null" : YamlKindName(node.kind);
}

// Adds the names of a list; `other` holds the names of the other list so far.
void AddNames(std::set<std::string, std::less<>>& names,
              const std::set<std::string, std::less<>>& other, const YamlMember& member,
              std::string_view where) {
  const auto& [key, list] = member;
  if (list.kind != YamlNode::Kind::kList) {
    ThrowAt(
        where, list.line,
        fmt::format("{}: expected a list of names, found {}; [] is an empty one", key, Kind(list)));
  }
  for (const YamlNode& item : list.items) {
    if (item.kind != YamlNode::Kind::kScalar || item.scalar.empty()) {
      ThrowAt(where, item.line,
              fmt::format("{}: expected the name of a node's first output, found {}", key,
                          item.quoted ? "an empty text" : Kind(item)));
    }
    if (other.contains(item.scalar)) {
      ThrowAt(where, item.line,
              fmt::format("'{}' stands in {} and in {}; keep one of them", Shown(item.scalar),
                          kFloat16, kFloat32));
    }
    names.insert(item.scalar);
  }
}

void AddList(std::string& text, std::string_view key,
             const std::set<std::string, std::less<>>& names) {
  text += fmt::format("{}:{}\n", key, names.empty() ? " []" : "");
  for (const std::string& name : names) {
    text += fmt::format("  - {}\n", YamlText(name));
  }
}

}  // namespace

NodePrecisionLists ParseNodePrecision(std::string_view text, std::string_view where,
                                      std::string_view float32_refusal) {
  const YamlNode root = ParseStrictYaml(
      text, where,
      {.what = "node names in YAML", .noun = "node names", .most_bytes = kMostNodePrecisionBytes});
  if (root.kind != YamlNode::Kind::kMap) {
    ThrowAt(where, root.line,
            fmt::format("expected a map with the keys {} and {}, found {}", kFloat16, kFloat32,
                        Kind(root)));
  }
  NodePrecisionLists precision;
  for (const YamlMember& member : root.members) {
    if (member.name == kFloat16) {
      AddNames(precision.float16, precision.float32, member, where);
    } else if (member.name == kFloat32 && !float32_refusal.empty()) {
      ThrowAt(where, member.value.line, fmt::format("{}: {}", kFloat32, float32_refusal));
    } else if (member.name == kFloat32) {
      AddNames(precision.float32, precision.float16, member, where);
    } else {
      ThrowAt(where, member.value.line,
              fmt::format("expected the keys {} and {}, found '{}'", kFloat16, kFloat32,
                          Shown(member.name)));
    }
  }
  return precision;
}

std::string WriteNodePrecision(const NodePrecisionLists& precision) {
  std::string text;
  if (!precision.float16.empty() || precision.float32.empty()) {
    AddList(text, kFloat16, precision.float16);
  }
  if (!precision.float32.empty()) {
    AddList(text, kFloat32, precision.float32);
  }
  return text;
}

}  // namespace halftone
