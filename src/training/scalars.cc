#include "src/training/scalars.h"

#include <charconv>
#include <cmath>

namespace halftone {

bool IsNull(const SettingsNode& node) {
  return node.kind == SettingsNode::Kind::kScalar && !node.quoted && node.scalar.empty();
}

std::optional<bool> BooleanOf(const SettingsNode& node) {
  if (node.kind != SettingsNode::Kind::kScalar || node.quoted) {
    return std::nullopt;
  }
  if (node.scalar == "true" || node.scalar == "True") {
    return true;
  }
  return node.scalar == "false" || node.scalar == "False" ? std::optional(false) : std::nullopt;
}

std::optional<double> NumberOf(const SettingsNode& node) {
  if (node.kind != SettingsNode::Kind::kScalar || node.quoted) {
    return std::nullopt;
  }
  double value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  const auto [last, code] = std::from_chars(node.scalar.data(), end, value);
  if (code != std::errc() || last != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace halftone
