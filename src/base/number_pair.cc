#include "src/base/number_pair.h"

#include <fmt/format.h>

namespace halftone {
namespace {

// Doubles that differ have different texts with 17 significant digits.
constexpr int kMostSignificant = 17;
// Digits behind the point; numbers that differ by less have all of their digits.
constexpr int kMostFixed = 17;

template <typename Format>
NumberPair Apart(double a, double b, int digits, int most, const Format& format) {
  for (; digits <= most; ++digits) {
    NumberPair pair{format(a, digits), format(b, digits)};
    if (a == b || pair.a != pair.b) {
      return pair;
    }
  }
  return {fmt::format("{}", a), fmt::format("{}", b)};
}

}  // namespace

NumberPair SignificantPair(double a, double b, int digits) {
  return Apart(a, b, digits, kMostSignificant, [](double value, int precision) {
    return fmt::format("{:.{}g}", value + 0.0, precision);  // no -0
  });
}

NumberPair FixedPair(double a, double b, int digits) {
  return Apart(a, b, digits, kMostFixed, [](double value, int precision) {
    return fmt::format("{:.{}f}", value + 0.0, precision);  // no -0
  });
}

}  // namespace halftone
