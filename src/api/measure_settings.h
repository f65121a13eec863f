// Settings of measurements, for every command.
#pragma once

#include <cstdint>

#include "src/accuracy/loss_metric.h"

namespace halftone {

// ---- Running ------------------------------------------------------------------------------------

struct MeasureSettings {
  int threads = 0;              // 0: all cores
  double quick_budget_s = 0.3;  // latency of each trial of a search
  double full_budget_s = 2.0;   // latency of members of the front, and of `run`
  MetricArguments metric;       // the loss of a search; `run` shows it
  std::uint64_t seed = 1;
};

}  // namespace halftone
