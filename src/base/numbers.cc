#include "src/base/numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

bool Contains(const WholeRange& range, std::int64_t value) {
  return value >= range.least && value <= range.most;
}

bool Contains(const RealRange& range, double value) {
  const bool from_least = range.above ? value > range.least : value >= range.least;
  return from_least && value <= range.most;
}

template <typename Range>
[[noreturn]] void Refuse(std::string_view name, const std::string& found, const Range& range) {
  throw Error(ErrorKind::kUsage, fmt::format("{}={}: expected {}{}", name, Shown(found),
                                             RangeText(range), PercentHint(found, range)));
}

}  // namespace

std::string RangeText(const WholeRange& range) {
  return fmt::format("a whole number from {} to {}", range.least, range.most);
}

std::string RangeText(const RealRange& range) {
  return fmt::format("a number {} {}{} {}", range.above ? "above" : "from", range.least,
                     range.above ? ", at most" : " to", range.most);
}

std::string PercentHint(std::string_view text, const RealRange& range) {
  if (!text.ends_with('%')) {
    return "";
  }
  const auto percent = FiniteNumber(Trim(text.substr(0, text.size() - 1)));
  if (range.share && percent && Contains(range, *percent / 100)) {
    return fmt::format("; {} is {:.10g}", text, *percent / 100);
  }
  return percent && Contains(range, *percent) ? "; leave out the %" : "";
}

std::string PercentHint(std::string_view text, const WholeRange& range) {
  return PercentHint(text,
                     RealRange{static_cast<double>(range.least), static_cast<double>(range.most)});
}

std::optional<double> FiniteNumber(std::string_view text) {
  const auto number = WholeNumber<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> NumberIn(std::string_view text, const WholeRange& range) {
  const auto number = WholeNumber<std::int64_t>(text);
  return number && Contains(range, *number) ? number : std::nullopt;
}

std::optional<double> NumberIn(std::string_view text, const RealRange& range) {
  const auto number = FiniteNumber(text);
  return number && Contains(range, *number) ? number : std::nullopt;
}

std::int64_t ParseNumber(std::string_view name, std::string_view text, const WholeRange& range) {
  if (const auto number = NumberIn(text, range)) {
    return *number;
  }
  Refuse(name, std::string(text), range);
}

double ParseNumber(std::string_view name, std::string_view text, const RealRange& range) {
  if (const auto number = NumberIn(text, range)) {
    return *number;
  }
  Refuse(name, std::string(text), range);
}

void RequireNumber(std::string_view name, std::int64_t value, const WholeRange& range) {
  if (!Contains(range, value)) {
    Refuse(name, fmt::format("{}", value), range);
  }
}

void RequireNumber(std::string_view name, double value, const RealRange& range) {
  if (!Contains(range, value)) {
    Refuse(name, fmt::format("{}", value), range);
  }
}

}  // namespace halftone
