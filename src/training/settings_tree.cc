#include "src/training/settings_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowAt(std::string_view where, int line, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where, line, what));
}

// Builds the tree from the parser's events: unlike a YAML::Node it sees anchors, aliases and keys
// that stand twice before they do harm.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view where) : where_(where) {}

  SettingsNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, anchor, SettingsNode{});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { RefuseAnchor(mark); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    SettingsNode node;
    node.quoted = tag == "!";
    const bool null = !node.quoted && (value == "~" || value == "null" || value == "None");
    node.scalar = null ? "" : value;
    Add(mark, anchor, std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, SettingsNode::Kind::kList);
  }

  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, SettingsNode::Kind::kMap);
  }

  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    SettingsNode node;
    std::optional<std::string> key;  // of a map: what the next value belongs to
  };

  [[noreturn]] void RefuseAnchor(const YAML::Mark& mark) const {
    ThrowAt(where_, mark.line + 1, "anchors and aliases are not read; write the value out");
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, SettingsNode::Kind kind) {
    if (anchor != 0) {
      RefuseAnchor(mark);
    }
    if (levels_.size() >= static_cast<std::size_t>(kMostSettingsLevels)) {
      ThrowAt(
          where_, mark.line + 1,
          fmt::format("expected at most {} levels of nesting, found more", kMostSettingsLevels));
    }
    if (!levels_.empty()) {
      RequireKey(mark, kind);
    }
    levels_.push_back({});
    levels_.back().node.kind = kind;
    levels_.back().node.line = mark.line + 1;
  }

  // A map or list may stand as a value, not as a key.
  void RequireKey(const YAML::Mark& mark, SettingsNode::Kind kind) const {
    const Level& level = levels_.back();
    if (level.node.kind == SettingsNode::Kind::kMap && !level.key) {
      ThrowAt(
          where_, mark.line + 1,
          fmt::format("expected a name, found {}; is a closing bracket missing?", KindName(kind)));
    }
  }

  void Close() {
    SettingsNode node = std::move(levels_.back().node);
    levels_.pop_back();
    Place(std::move(node));
  }

  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, SettingsNode node) {
    if (anchor != 0) {
      RefuseAnchor(mark);
    }
    node.line = mark.line + 1;
    Place(std::move(node));
  }

  void Place(SettingsNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == SettingsNode::Kind::kList) {
      level.node.items.push_back(std::move(node));
    } else if (!level.key) {
      if (level.node.Find(node.scalar) != nullptr) {
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
  std::vector<Level> levels_;
  SettingsNode root_;
};

}  // namespace

const SettingsNode* SettingsNode::Find(std::string_view key) const {
  for (const auto& [name, node] : members) {
    if (name == key) {
      return &node;
    }
  }
  return nullptr;
}

std::string_view KindName(SettingsNode::Kind kind) {
  switch (kind) {
    case SettingsNode::Kind::kMap:
      return "a map";
    case SettingsNode::Kind::kList:
      return "a list";
    case SettingsNode::Kind::kScalar:
      return "a scalar";
  }
  return "?";
}

SettingsNode ParseSettings(std::string_view text, std::string_view where) {
  if (text.size() > kMostSettingsBytes) {
    ThrowAt(where, 1,
            fmt::format("expected at most {} bytes of settings, found {}", kMostSettingsBytes,
                        text.size()));
  }
  if (Trim(text).empty() || text.find_first_not_of(" \t\r\n") == text.npos) {
    ThrowAt(where, 1, "expected settings in YAML or JSON, found an empty file");
  }
  if (text.find('\0') != text.npos) {
    ThrowAt(where, 1, "expected settings in YAML or JSON, found a binary file");
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(where);
    if (!parser.HandleNextDocument(builder)) {
      ThrowAt(where, 1, "expected settings in YAML or JSON, found only comments");
    }
    TreeBuilder second(where);
    if (parser.HandleNextDocument(second)) {
      ThrowAt(where, second.Take().line, "expected one document, found a second one");
    }
    return builder.Take();
  } catch (const YAML::Exception& error) {
    ThrowAt(where, std::max(error.mark.line + 1, 1),
            fmt::format("expected YAML or JSON: {}", error.msg));
  }
}

}  // namespace halftone
