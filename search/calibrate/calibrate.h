// Calibration: ranges of the tensors of a network in float32 on samples, and the quantisation that
// follows from them.
//
// Factors first, for channels of unlike ranges, on a few samples. Then two passes over the samples:
// least and greatest values, and histograms between them, of values divided by their factors. Of
// several methods, each tensor takes the range with the least error at the results of the operators
// that read it (`auto`), on the first samples. Then the mean errors of products are taken off by
// their biases. Memory: histograms, and the values of one sample.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/calibrate/shape_samples.h"
#include "src/accuracy/dataset.h"
#include "src/base/time_budget.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Share of an error power: 1 dB.
inline constexpr double kHedgeShare = 0.794;

// minmax, percentile:99.999, mse and kl2: what is tried on whole networks beside `auto`, which
// looks no further than the readers of each tensor.
std::vector<CalibrationChoice> CalibrationHedges();

struct CalibrationOptions {
  std::vector<CalibrationChoice> methods = AutoCalibrationMethods();
  // Each of these for all tensors alike, against what `methods` give: the one with the least error
  // of the whole network in 8 bits wins if that is at most kHedgeShare of the error of `methods`.
  std::vector<CalibrationChoice> hedges = {};
  // Channel factors of activations where they gain (search/calibrate/channel_factors.h).
  bool equalise = true;
  bool correct_bias = true;
  bool per_channel_weights = true;
  // Scales and factors that stay as they are: samples only show what values they meet. Null: both
  // are chosen.
  const Quantization* given = nullptr;
  // Further input shapes of the network: ranges are of the samples of all shapes, tensors are known
  // by their names. Ranges are compared, and biases corrected, on samples of the first shape.
  std::vector<CalibrationShape> others = {};
  int threads = 1;  // 0: all cores
  CompileOptions compile = {};
  // Runs of the network done, and of how many.
  std::function<void(std::size_t done, std::size_t planned)> on_progress = {};
  // True ends the calibration early; the result is of the runs until then.
  std::function<bool()> stop_requested = {};
  // Time that it may take. The first float32 run, which compiles the network, is timed; where all
  // of the work does not fit, WorkWithin() (calibration_work.h) says what is done.
  TimeSlice time = {};
};

// How one tensor was calibrated, for reports.
struct CalibratedTensor {
  TensorStatistics statistics;
  std::string method;  // "percentile:99.99"; empty: the scale was given
  ValueRange range;
};

struct Calibration {
  Quantization quantization;
  std::map<std::string, CalibratedTensor> tensors;  // by name
  std::size_t samples = 0;                          // that the ranges are of
  std::string hedge;                                // that won, "minmax"; empty: none
  // Sentence on work that was left out for lack of time; empty: none was.
  std::string cut;
};

// A scale for every float tensor that an operator with an integer form makes or reads. Results of
// operators that only move data, and of MaxPool, have the scale of their operand; parts of a Concat
// whose ranges are within a factor of 4 share one. No scale for a tensor that is infinite or NaN on
// a sample: the operators that make and read it stay out of 8 bits. Deterministic, whatever the
// number of threads. Error kUsage: no samples.
Calibration Calibrate(const Graph& graph, const Dataset& samples,
                      const CalibrationOptions& options);

}  // namespace halftone
