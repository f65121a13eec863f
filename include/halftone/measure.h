// Settings of measurements: threads, time, the runtime that plans run on, the metric.
#pragma once

#include <cstdint>
#include <string>

#include "halftone/metric.h"

namespace halftone {

// Runtime outside halftone on which plans are built, timed and run, and how it is asked.
struct RuntimeArguments {
  std::string runtime;  // --measure: "ort:/usr/lib/libonnxruntime.so"; empty: halftone's kernels
  // Settings of a command (docs/guide/measuring_elsewhere.md).
  std::string format = "halftone";  // --measure_format
  double timeout_s = 600;           // --measure_timeout: seconds of one call
  std::string inputs = "bin";       // --measure_inputs: "bin" or "npy"
};

struct MeasureSettings {
  int threads = 0;              // 0: all cores
  double quick_budget_s = 0.3;  // latency of each trial of a search
  double full_budget_s = 2.0;   // latency of members of the front, and of `run`
  bool latency = true;          // of `run`: false leaves it out
  RuntimeArguments on;
  MetricArguments metric;  // the loss of a search; `run` shows it
  std::uint64_t seed = 1;
};

}  // namespace halftone
