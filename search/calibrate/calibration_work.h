// Work of a calibration: its samples and steps, and the choice of what is left out when time is
// short.
#pragma once

#include <cstddef>
#include <string>

namespace halftone {

// Most samples on which ranges are compared, and most samples on which biases are corrected.
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

// Number of network runs on one sample each.
std::size_t RunsOf(const CalibrationWork& work);

// Cost of the work in float32 runs: RunsOf(), and the runs of operators that are tried alone.
double CostOf(const CalibrationWork& work);

// Returns `wanted` if it costs at most `most` float32 runs. Otherwise it reduces the work until the
// rest fits: first it takes fewer samples; then it leaves out the hedges, the channel factors, the
// comparison and the bias correction, one after the other, each time with as many samples as the
// cost allows. The least work is the ranges of one sample.
CalibrationWork WorkWithin(CalibrationWork wanted, double most);

// Names the steps of `wanted` that `work` lacks: ", without bias correction"; empty if it lacks
// none.
std::string LeftOut(const CalibrationWork& wanted, const CalibrationWork& work);

}  // namespace halftone
