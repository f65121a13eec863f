#include "src/base/names_hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"

namespace halftone {

std::string NamesHint(std::string_view word, const std::vector<std::string>& candidates) {
  static constexpr std::size_t kMost = 8;
  const auto shown = [](const std::vector<std::string>& names) {
    std::vector<std::string> first;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
      first.push_back(Shown(names[i]));
    }
    return Join(first, ", ");
  };
  std::vector<std::string> near = ClosestNames(word, candidates);
  for (const std::string& candidate : candidates) {
    if (!word.empty() && near.size() < kMost && candidate.find(word) != std::string::npos &&
        std::ranges::find(near, candidate) == near.end()) {
      near.push_back(candidate);
    }
  }
  if (!near.empty() || candidates.empty()) {
    return near.empty() ? "" : "; close: " + shown(near);
  }
  return fmt::format(
      "; it has {}{}", shown(candidates),
      candidates.size() > kMost ? fmt::format(" and {} more", candidates.size() - kMost) : "");
}

}  // namespace halftone
