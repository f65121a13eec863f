// Speed of the number formats on this machine, by its profile.
#pragma once

#include <optional>
#include <vector>

#include "search/operators/format_times.h"
#include "src/api/tune/run_inputs.h"
#include "src/base/time_budget.h"

namespace halftone {

struct FormatSpeeds {
  std::vector<FormatTime> times;      // empty: unknown
  std::optional<ScaledSpeed> scaled;  // speed of int8; empty: unknown, or not needed
};

// Measures the speed of int8 where nothing else decides whether 8 bits are searched, and stores it.
// Reads only stored speeds if inputs.stored_only.
FormatSpeeds SpeedsFor(const RunInputs& inputs, TimeBudget& budget);

}  // namespace halftone
