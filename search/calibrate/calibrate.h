// Calibration: finds the ranges of the tensors of a network in float32 on samples, and derives the
// quantisation from them.
//
// First, a few samples give channel factors for tensors whose channels have unlike ranges. Two
// passes over the samples then record the least and the greatest value of each tensor and a
// histogram between them; the values are divided by the channel factors. With several methods
// (`auto`), each tensor takes the range that causes the least error at the results of the operators
// that read it, on a few samples of the first shape. Last, the biases of products are changed to
// subtract the mean errors of their results. Memory: the histograms, and the values of one sample.
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

// A hedge wins if its error power is less than this share of the error power of `methods`: -1 dB.
inline constexpr double kHedgeShare = 0.794;

// Hedges: the methods minmax, percentile:99.999, mse and kl2, which are tried on the whole network,
// because `auto` judges a range only at the readers of its tensor.
std::vector<CalibrationChoice> CalibrationHedges();

struct CalibrationOptions {
  std::vector<CalibrationChoice> methods = AutoCalibrationMethods();
  // Methods that are each tried for all tensors at once. The method with the least error of the
  // whole network in 8 bits replaces the ranges of `methods` if its error power is less than
  // kHedgeShare of theirs.
  std::vector<CalibrationChoice> hedges = {};
  // True: activations have channel factors where these reduce the error
  // (search/calibrate/channel_factors.h).
  bool equalise = true;
  bool correct_bias = true;
  bool per_channel_weights = true;
  // Scales and factors that are used unchanged; then the samples only give the statistics of the
  // values. Null: scales and factors are chosen.
  const Quantization* given = nullptr;
  // Further input shapes of the network. Ranges cover the samples of all shapes; tensors of
  // different shapes are matched by name. Ranges are compared, and biases corrected, on samples of
  // the first shape only.
  std::vector<CalibrationShape> others = {};
  int threads = 1;  // 0: all cores
  CompileOptions compile = {};
  // Called with the number of network runs that are done, and the number planned.
  std::function<void(std::size_t done, std::size_t planned)> on_progress = {};
  // True ends the calibration early; the result then covers the runs done so far.
  std::function<bool()> stop_requested = {};
  // Time limit. The first float32 run is timed without its compilation, and WorkWithin()
  // (calibration_work.h) reduces the work to the time that remains.
  TimeSlice time = {};
};

// Calibration of one tensor, for reports.
struct CalibratedTensor {
  TensorStatistics statistics;
  std::string method;  // "percentile:99.99"; empty: the scale was given
  ValueRange range;
};

struct Calibration {
  Quantization quantization;
  std::map<std::string, CalibratedTensor> tensors;  // by name
  std::size_t samples = 0;                          // samples that the ranges cover
  std::string hedge;  // name of the hedge that won, "minmax"; empty: none
  // Sentence on work that was left out for lack of time; empty if none was.
  std::string cut;
};

// Chooses a scale for every float tensor that an operator with an integer form makes or reads. The
// result of an operator that moves data, of MaxPool, or of some Resize takes the scale of its
// operand (range_classes.h). Operands of a Concat share one scale if their ranges are within a
// factor of 4. A tensor that is infinite or NaN on a sample has no scale, so the operators that
// make and read it stay out of 8 bits. The result does not depend on the number of threads. Error
// kUsage: no samples.
Calibration Calibrate(const Graph& graph, const Dataset& samples,
                      const CalibrationOptions& options);

}  // namespace halftone
