#include "src/report/rejected_groups.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace halftone {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string KindOfReason(std::string_view reason) {
  std::string kind;
  for (std::size_t i = 0; i < reason.size(); ++i) {
    const char c = reason[i];
    if (IsDigit(c)) {
      continue;
    }
    kind += c;
    if (c == '\'' || c == '[') {
      const std::size_t end = reason.find(c == '[' ? ']' : c, i + 1);
      i = end == std::string_view::npos ? i : end;
    }
  }
  return kind;
}

std::vector<RejectedGroup> RejectedGroups(std::span<const RejectedPoint> rejected) {
  std::vector<RejectedGroup> groups;
  std::map<std::string, std::size_t> index_of_kind;
  for (const RejectedPoint& point : rejected) {
    const auto [found, is_new] =
        index_of_kind.try_emplace(KindOfReason(point.reason), groups.size());
    if (is_new) {
      groups.push_back({point.reason, point.summary, 0});
    }
    ++groups[found->second].configurations;
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &RejectedGroup::configurations);
  return groups;
}

}  // namespace halftone
