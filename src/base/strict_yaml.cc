#include "src/base/strict_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowAt(std::string_view where, int line, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where, line, what));
}

// Builds trees from the parser's events: unlike a YAML::Node it sees anchors, aliases and keys
// that stand twice before they do harm.
class TreeBuilder : public YAML::EventHandler {
 public:
  using Take = std::function<void(YamlNode)>;

  // `last_start`: where the document before started; -1 before the first. `take_item`: gets the
  // items of a list at the top; empty: they stay in the list. `take_root`: gets what is left, not a
  // list whose items were taken.
  TreeBuilder(std::string_view where, const YamlRules& rules, int& last_start, Take take_item,
              Take take_root)
      : where_(where),
        rules_(rules),
        last_start_(last_start),
        take_item_(std::move(take_item)),
        take_root_(std::move(take_root)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // Of some malformed texts the parser reads no byte, and finds one empty document after another.
    if (mark.pos <= last_start_) {
      ThrowAt(where_, mark.line + 1,
              fmt::format("expected {}, found a text that cannot stand here", rules_.syntax));
    }
    last_start_ = mark.pos;
  }

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, anchor, YamlNode{});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { RefuseAnchor(mark); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node;
    node.quoted = tag == "!";
    const bool null =
        !node.quoted && (value == "~" || value == "null" || value == rules_.also_null);
    node.scalar = null ? "" : value;
    Add(mark, anchor, std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, YamlNode::Kind::kList);
  }

  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, YamlNode::Kind::kMap);
  }

  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    YamlNode node;
    std::optional<std::string> key;         // of a map: what the next value belongs to
    std::unordered_set<std::string> known;  // of a map: its keys
  };

  [[noreturn]] void RefuseAnchor(const YAML::Mark& mark) const {
    ThrowAt(where_, mark.line + 1, "anchors and aliases are not read; write the value out");
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (anchor != 0) {
      RefuseAnchor(mark);
    }
    if (levels_.size() >= static_cast<std::size_t>(rules_.most_levels)) {
      ThrowAt(where_, mark.line + 1,
              fmt::format("expected at most {} levels of nesting, found more", rules_.most_levels));
    }
    if (!levels_.empty()) {
      RequireKey(mark, kind);
    }
    levels_.emplace_back();
    levels_.back().node.kind = kind;
    levels_.back().node.line = mark.line + 1;
  }

  // A map or list may stand as a value, not as a key.
  void RequireKey(const YAML::Mark& mark, YamlNode::Kind kind) const {
    const Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kMap && !level.key) {
      ThrowAt(where_, mark.line + 1,
              fmt::format("expected a name, found {}; is a closing bracket missing?",
                          YamlKindName(kind)));
    }
  }

  void Close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    Place(std::move(node));
  }

  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode node) {
    if (anchor != 0) {
      RefuseAnchor(mark);
    }
    node.line = mark.line + 1;
    Place(std::move(node));
  }

  void Place(YamlNode node) {
    if (levels_.empty()) {
      if (!take_item_ || node.kind != YamlNode::Kind::kList) {
        take_root_(std::move(node));
      }
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kList) {
      if (take_item_ && levels_.size() == 1) {
        take_item_(std::move(node));
      } else {
        level.node.items.push_back(std::move(node));
      }
    } else if (!level.key) {
      if (!level.known.insert(node.scalar).second) {
        ThrowAt(where_, node.line,
                fmt::format("'{}' stands twice; keep one of them", Shown(node.scalar)));
      }
      level.key = std::move(node.scalar);
    } else {
      level.node.members.push_back({*std::move(level.key), std::move(node)});
      level.key.reset();
    }
  }

  std::string_view where_;
  const YamlRules& rules_;
  int& last_start_;
  Take take_item_;
  Take take_root_;
  std::vector<Level> levels_;
};

void RequireText(std::string_view text, std::string_view where, const YamlRules& rules) {
  if (text.size() > rules.most_bytes) {
    ThrowAt(where, 1,
            fmt::format("expected at most {} bytes of {}, found {}", rules.most_bytes, rules.noun,
                        text.size()));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    ThrowAt(where, 1, fmt::format("expected {}, found an empty file", rules.what));
  }
  if (text.find('\0') != text.npos) {
    ThrowAt(where, 1, fmt::format("expected {}, found a binary file", rules.what));
  }
}

// Calls `next(parser, number of the document)` until it returns false: there was no more.
void ParseDocuments(std::string_view text, std::string_view where, const YamlRules& rules,
                    const std::function<bool(YAML::Parser&, int)>& next) {
  RequireText(text, where, rules);
  int documents = 0;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (next(parser, documents)) {
      ++documents;
    }
  } catch (const YAML::Exception& error) {
    ThrowAt(where, std::max(error.mark.line + 1, 1),
            fmt::format("expected {}: {}", rules.syntax, error.msg));
  }
  if (documents == 0) {
    ThrowAt(where, 1, fmt::format("expected {}, found only comments", rules.what));
  }
}

// Words that some version of YAML reads as a boolean or null, in lower case.
constexpr std::array<std::string_view, 10> kWords = {"true", "false", "yes", "no",   "on",
                                                     "off",  "y",     "n",   "null", "none"};

// A word that no reader takes for anything but a text.
bool IsPlain(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
  };
  const auto fits = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  if (text.empty() || !is_letter(text.front()) || !std::all_of(text.begin(), text.end(), fits)) {
    return false;
  }
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
}

// A scalar that quotes would make another thing of: numbers and booleans have these characters
// only.
bool MayBeNumber(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '+' || c == '-' || c == '_';
  });
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string Quoted(const std::string& text) {
  try {
    std::string quoted = nlohmann::json(text).dump();
    // What JSON lets stand and YAML takes for line breaks, or does not allow.
    Replace(quoted, "\x7f", "\\x7f");
    Replace(quoted, "\xc2\x85", "\\u0085");
    Replace(quoted, "\xe2\x80\xa8", "\\L");
    Replace(quoted, "\xe2\x80\xa9", "\\P");
    Replace(quoted, "\xef\xbb\xbf", "\\ufeff");
    return quoted;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected a name in UTF-8, which is all that YAML holds; found '{}'",
                            Shown(text)));
  }
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const auto& [name, node] : members) {
    if (name == key) {
      return &node;
    }
  }
  return nullptr;
}

std::string_view YamlKindName(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kScalar:
      return "a scalar";
  }
  return "?";
}

YamlNode ParseStrictYaml(std::string_view text, std::string_view where, const YamlRules& rules) {
  YamlNode root;
  int last_start = -1;
  ParseDocuments(text, where, rules, [&](YAML::Parser& parser, int document) {
    TreeBuilder builder(where, rules, last_start, {}, [&](YamlNode node) {
      if (document > 0) {
        ThrowAt(where, node.line, "expected one document, found a second one");
      }
      root = std::move(node);
    });
    return parser.HandleNextDocument(builder);
  });
  return root;
}

void ForEachYamlItem(std::string_view text, std::string_view where, const YamlRules& rules,
                     const std::function<void(YamlPlace place, YamlNode item)>& take) {
  int last_start = -1;
  ParseDocuments(text, where, rules, [&](YAML::Parser& parser, int document) {
    const auto taken = [&](bool in_list) {
      return [&, in_list](YamlNode node) {
        take({.document = document, .in_list = in_list}, std::move(node));
      };
    };
    TreeBuilder builder(where, rules, last_start, taken(true), taken(false));
    return parser.HandleNextDocument(builder);
  });
}

std::string YamlText(const std::string& text) {
  return IsPlain(text) ? text : Quoted(text);
}

std::string YamlFlow(const YamlNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case YamlNode::Kind::kScalar:
      if (node.IsNull()) {
        return "null";
      }
      return node.quoted || !MayBeNumber(node.scalar) ? Quoted(node.scalar) : node.scalar;
    case YamlNode::Kind::kMap:
      for (const auto& [name, value] : node.members) {
        parts.push_back(YamlText(name) + ": " + YamlFlow(value));
      }
      return "{" + Join(parts, ", ") + "}";
    case YamlNode::Kind::kList:
      for (const YamlNode& item : node.items) {
        parts.push_back(YamlFlow(item));
      }
      return "[" + Join(parts, ", ") + "]";
  }
  return {};
}

}  // namespace halftone
