// Values of options with numbers or sizes inside a text: each parser gets each text.
#include <cmath>

#include "src/api/goal.h"
#include "src/api/load/memory_limit.h"
#include "src/quantization/calibration_method.h"
#include "src/report/gates.h"
#include "src/runtimes/command/result_format.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  if (const auto budget = ValueOrError([&] { return ParseBudget(text); })) {
    Require(!budget->time || (budget->time->count() > 0 && budget->time->count() < 1e9),
            "a budget beyond any clock");
  }
  if (const auto confidence = ValueOrError([&] { return ParseConfidence(text); })) {
    Require(!*confidence || (**confidence > 0 && **confidence < 1), "a confidence of no share");
  }
  if (const auto goal = ValueOrError([&] { return ParseGoal(text, {}); })) {
    for (const BoundRow& row : AllBounds()) {
      const auto& bound = (*goal).*row.value;
      Require(!bound || std::isfinite(*bound), "a bound that is no number");
    }
  }
  if (const auto gate = ValueOrError([&] { return ParseGate(text); })) {
    Require(std::isfinite(gate->limit), "a gate that is no number");
  }
  if (const auto bytes = ValueOrError([&] { return ParseMemorySize(text); })) {
    Require(*bytes > 0, "a limit of no byte");
  }
  ValueOrError([&] { return ParseCalibrationMethod(text); });
  ValueOrError([&] { return ParseResultFormat(text); });
  return 0;
}
