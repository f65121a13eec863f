#include "halftone/goal.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "src/api/expected_bound.h"
#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct UnitRow {
  std::string_view name;
  double seconds;
};

constexpr UnitRow kUnits[] = {{"s", 1}, {"min", 60}, {"h", 3600}};

bool IsConfidence(double value) {
  return value >= kLeastConfidence && value <= kMostConfidence;
}

[[noreturn]] void ThrowConfidence(std::string_view text) {
  constexpr RealRange kRange = {.least = kLeastConfidence, .most = kMostConfidence, .share = true};
  throw Error(ErrorKind::kUsage, fmt::format("--confidence={}: expected none or {}{}", Shown(text),
                                             RangeText(kRange), PercentHint(text, kRange)));
}

[[noreturn]] void ThrowBudget(std::string_view text) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--budget={}: expected evaluations or a time, such as 120, 90s, 10min, 2h, of "
                  "a year at most",
                  Shown(text)));
}

std::string KnownGoals() {
  std::vector<std::string> names = {"front"};
  for (const BoundRow& row : AllBounds()) {
    names.push_back(fmt::format("{}=NUMBER{}", row.name, row.share != nullptr ? "[@SHARE%]" : ""));
  }
  return Join(names, ", ");
}

}  // namespace

Constraints ParseGoal(std::string_view text, const Constraints& given) {
  Constraints goal = given;
  if (Trim(text) == "front") {
    return goal;
  }
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = Trim(part.substr(0, equals));
    const BoundRow* found = nullptr;
    for (const BoundRow& row : AllBounds()) {
      found = row.name == name ? &row : found;
    }
    if (found == nullptr || equals == std::string_view::npos) {
      throw Error(ErrorKind::kUsage, fmt::format("--goal={}: '{}' is none of {}", Shown(text),
                                                 Shown(Trim(part)), KnownGoals()));
    }
    const std::string_view value = Trim(part.substr(equals + 1));
    Constraints parsed;
    if (!ParseBound(value, *found, parsed)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--goal={}: expected {} behind {}, found '{}'", Shown(text),
                              ExpectedOf(*found, value), name, Shown(value)));
    }
    if (goal.*found->value) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--goal={}: {} is given twice, as {} and {}", text, name,
                              BoundText(*found, goal), BoundText(*found, parsed)));
    }
    goal.*found->value = parsed.*found->value;
    if (found->share != nullptr) {
      goal.*found->share = parsed.*found->share;
    }
  }
  CheckConstraints(goal, "--goal=");
  return goal;
}

std::optional<double> ParseConfidence(std::string_view text) {
  if (Trim(text) == "none") {
    return std::nullopt;
  }
  const auto value = FiniteNumber(Trim(text));
  if (!value || !IsConfidence(*value)) {
    ThrowConfidence(text);
  }
  return value;
}

std::string ConfidenceText(const std::optional<double>& confidence) {
  return confidence ? fmt::format("{}", *confidence) : "none";
}

void CheckConfidence(const std::optional<double>& confidence) {
  if (confidence && !IsConfidence(*confidence)) {
    ThrowConfidence(ConfidenceText(confidence));
  }
}

Budget ParseBudget(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const std::size_t digits = trimmed.find_first_not_of("0123456789.");
  const auto value = FiniteNumber(trimmed.substr(0, digits));
  if (!value || *value <= 0) {
    ThrowBudget(text);
  }
  Budget budget;
  if (digits == std::string_view::npos) {
    if (*value < 1 || *value != std::floor(*value) ||
        *value > static_cast<double>(limits::kMostCount)) {
      ThrowBudget(text);
    }
    budget.evaluations = static_cast<std::size_t>(*value);
    return budget;
  }
  for (const UnitRow& unit : kUnits) {
    if (unit.name == Trim(trimmed.substr(digits))) {
      budget.time = std::chrono::duration<double>(*value * unit.seconds);
    }
  }
  if (!budget.time || budget.time->count() > limits::kMostSeconds) {
    ThrowBudget(text);
  }
  return budget;
}

}  // namespace halftone
