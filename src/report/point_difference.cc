#include "src/report/point_difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kNamesShown = 3;

// The `names` that `others` does not have, in their order.
std::vector<std::string> Without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) {
      left.push_back(name);
    }
  }
  return left;
}

std::string Listed(std::vector<std::string> names) {
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamesShown));
  return Join(names, ", ") +
         (count > kNamesShown ? fmt::format(" and {} more", count - kNamesShown) : "");
}

std::string OptionDifference(const PrecisionOptions& point, const PrecisionOptions& faster,
                             const Vocabulary& words) {
  std::vector<std::string> parts;
  if (point.precision_mode != faster.precision_mode) {
    parts.push_back(fmt::format("{} in place of {}", words.ModeWord(point.precision_mode),
                                words.ModeWord(faster.precision_mode)));
  }
  if (point.impl_mode_by_type != faster.impl_mode_by_type ||
      point.impl_mode_by_node != faster.impl_mode_by_node) {
    parts.emplace_back(words.other_modes);
  }
  if (parts.empty()) {
    parts.emplace_back("other dtypes of single operators");
  }
  return Join(parts, "; ");
}

}  // namespace

std::string DifferenceOf(const Trial& point, const Trial& faster, const Vocabulary& words) {
  const std::vector<std::string> raised = Without(point.kept_nodes, faster.kept_nodes);
  const std::vector<std::string> lowered = Without(faster.kept_nodes, point.kept_nodes);
  std::vector<std::string> parts;
  if (!raised.empty()) {
    parts.push_back("float32 for " + Listed(raised));
  }
  if (!lowered.empty()) {
    parts.push_back("16 bits for " + Listed(lowered));
  }
  return parts.empty() ? OptionDifference(point.candidate.options, faster.candidate.options, words)
                       : Join(parts, "; ");
}

std::vector<std::string> DifferencesAlong(const TuneSummary& summary) {
  std::vector<std::string> differences;
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    differences.push_back(i == 0 ? std::string()
                                 : DifferenceOf(summary.front.points[i].trial,
                                                summary.front.points[i - 1].trial,
                                                *summary.run.words));
  }
  return differences;
}

}  // namespace halftone
