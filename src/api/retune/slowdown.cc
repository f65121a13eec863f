#include "src/api/retune/slowdown.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kNone = "none";

[[noreturn]] void ThrowSlowdown(std::string_view text) {
  throw Error(ErrorKind::kUsage,
              fmt::format("--max_slowdown={}: expected how many times the latency of then a "
                          "shipped point may take, a number of at least 1, or {}",
                          Shown(text), kNone));
}

}  // namespace

std::optional<double> ParseMaxSlowdown(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (trimmed == kNone) {
    return std::nullopt;
  }
  double value = 0;
  const char* end = trimmed.data() + trimmed.size();
  const auto [stop, code] = std::from_chars(trimmed.data(), end, value);
  if (code != std::errc() || stop != end || !std::isfinite(value) || value < 1) {
    ThrowSlowdown(text);
  }
  return value;
}

std::string MaxSlowdownText(const std::optional<double>& most) {
  return most ? fmt::format("{}", *most) : std::string(kNone);
}

void CheckMaxSlowdown(const std::optional<double>& most) {
  if (most && !(std::isfinite(*most) && *most >= 1)) {
    ThrowSlowdown(MaxSlowdownText(most));
  }
}

std::string TimesAsLong(double slowdown) {
  return fmt::format("{:.3g} times as long", slowdown);
}

}  // namespace halftone
