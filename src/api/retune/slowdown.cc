#include "src/api/retune/slowdown.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kNone = "none";

[[noreturn]] void ThrowSlowdown(std::string_view text) {
  throw Error(ErrorKind::kUsage,
              fmt::format("--max_slowdown={}: expected how many times the latency of then a "
                          "shipped point may take, {}, or {}",
                          Shown(text), RangeText(limits::kSlowdownRange), kNone));
}

}  // namespace

std::optional<double> ParseMaxSlowdown(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (trimmed == kNone) {
    return std::nullopt;
  }
  const std::optional<double> value = NumberIn(trimmed, limits::kSlowdownRange);
  if (!value) {
    ThrowSlowdown(text);
  }
  return value;
}

std::string MaxSlowdownText(const std::optional<double>& most) {
  return most ? fmt::format("{}", *most) : std::string(kNone);
}

void CheckMaxSlowdown(const std::optional<double>& most) {
  if (most && !NumberIn(MaxSlowdownText(most), limits::kSlowdownRange)) {
    ThrowSlowdown(MaxSlowdownText(most));
  }
}

std::string TimesAsLong(double slowdown) {
  return fmt::format("{:.3g} times as long", slowdown);
}

}  // namespace halftone
