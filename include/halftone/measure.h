// Settings of measurements: threads, seconds, the runtime, the metric.
#pragma once

#include <cstdint>
#include <string>

#include "halftone/metric.h"

namespace halftone {

// Runtime outside halftone that builds, times and runs plans (docs/guide/measuring_elsewhere.md).
struct RuntimeArguments {
  std::string runtime;  // --measure: "ort:/usr/lib/libonnxruntime.so"; empty: halftone's kernels
  // The other members are for a runtime that is a command of the user.
  std::string format = "halftone";  // --measure_format
  double timeout_s = 600;           // --measure_timeout: limit in seconds on one call
  std::string inputs = "bin";       // --measure_inputs: "bin" or "npy"
};

struct MeasureSettings {
  int threads = 0;  // of a run of the network; at most the number of cores; 0: all cores
  double quick_budget_s = 0.3;  // seconds for timing each plan of a search
  double full_budget_s = 2.0;   // seconds for timing each point of the front, and for Run()
  bool latency = true;          // false: Run() measures no latency
  RuntimeArguments on;
  MetricArguments metric;  // Tune() minimises it as the loss, Run() reports it
  std::uint64_t seed = 1;
};

}  // namespace halftone
