// Work of a calibration: its samples and steps, and which of them are left out when time is short.
#pragma once

#include <cstddef>
#include <string>

namespace halftone {

// Number of samples on which ranges are compared, and on which biases are corrected.
inline constexpr std::size_t kComparedSamples = 8;
inline constexpr std::size_t kCorrectedSamples = 16;

struct CalibrationWork {
  std::size_t samples = 0;
  std::size_t hedges = 0;  // methods that are tried on the whole network
  bool factors = false;    // chooses channel factors
  bool compares = false;   // compares several ranges of a tensor at its readers
  bool corrects = false;   // corrects biases

  friend bool operator==(const CalibrationWork&, const CalibrationWork&) = default;
};

// Number of runs of the network on one sample.
std::size_t RunsOf(const CalibrationWork& work);

// Cost of the work in float32 runs: RunsOf(), and the operators that are tried alone.
double CostOf(const CalibrationWork& work);

// Returns `wanted` if it costs at most `most` float32 runs. Else leaves out, one after the other
// until the rest fits: samples, hedges, factors, comparison, correction. After each of these steps
// it takes as many samples as the cost allows. The least work is the ranges of one sample.
CalibrationWork WorkWithin(CalibrationWork wanted, double most);

// Names the steps of `wanted` that `work` lacks: ", without bias correction"; empty: none.
std::string LeftOut(const CalibrationWork& wanted, const CalibrationWork& work);

}  // namespace halftone
