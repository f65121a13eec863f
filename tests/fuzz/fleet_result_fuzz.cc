// result.json of a task of a fleet, and the plan beside it.
#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  if (const auto result = ValueOrError([&] { return ResultFromJson(text, "result.json"); })) {
    Require(ResultFromJson(ResultToJson(*result), "result.json") == *result,
            "the result read back differs");
  }
  if (const auto plan = ValueOrError([&] { return PlanFromJson(text, "plan.json"); })) {
    Require(PlanFromJson(PlanToJson(*plan), "plan.json") == *plan, "the plan read back differs");
  }
  return 0;
}
