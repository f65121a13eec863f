// Work of a calibration: samples and steps, and what is left out where time is short.
#pragma once

#include <cstddef>
#include <string>

namespace halftone {

// Samples on which ranges are compared, and biases corrected.
inline constexpr std::size_t kComparedSamples = 8;
inline constexpr std::size_t kCorrectedSamples = 16;

struct CalibrationWork {
  std::size_t samples = 0;
  std::size_t hedges = 0;  // that are tried on the whole network
  bool factors = false;    // of channels are chosen
  bool compares = false;   // several ranges of a tensor, at its readers
  bool corrects = false;   // biases

  friend bool operator==(const CalibrationWork&, const CalibrationWork&) = default;
};

// Runs of the network on a sample.
std::size_t RunsOf(const CalibrationWork& work);

// Cost of the same in float32 runs: operators that are tried alone run beside these.
double CostOf(const CalibrationWork& work);

// `wanted` where it costs at most `most` float32 runs. Else, in this order: fewer samples; no
// hedges, no factors, no comparison, no correction, each with as many samples as cost leaves, and
// fewer at the next step. Least: the ranges of one sample.
CalibrationWork WorkWithin(CalibrationWork wanted, double most);

// ", without bias correction": steps of `wanted` that `work` has no more; empty: none.
std::string LeftOut(const CalibrationWork& wanted, const CalibrationWork& work);

}  // namespace halftone
