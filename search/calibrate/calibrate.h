// Calibration: ranges of the tensors of a network in float32 on samples, and the quantisation that
// follows from them.
#pragma once

#include <cstddef>
#include <functional>

#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

struct CalibrationOptions {
  int threads = 1;  // 0: all cores
  CompileOptions compile;
  // Runs of the network done, and of how many.
  std::function<void(std::size_t done, std::size_t planned)> on_progress = {};
  // True ends the calibration early; the result is of the runs until then.
  std::function<bool()> stop_requested = {};
};

// A scale for every float tensor that the network computes or reads as an input. Results of
// operators that only move data, and of MaxPool, have the scale of their operand; parts of a Concat
// whose ranges are within a factor of 4 share one. Error kUsage: no samples.
Quantization Calibrate(const Graph& graph, const Dataset& samples,
                       const CalibrationOptions& options);

}  // namespace halftone
