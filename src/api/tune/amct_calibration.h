// Predicts the ranges of layers that AMCT quantises while ATC compiles (src/amct/).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "search/calibrate/calibrate.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/quantize_options.h"

namespace halftone {

// The mode of a run for such a target: off unless asked for, because ATC then needs the device and
// finds the ranges again. Error kUsage for options that AMCT does not take: kOnly, ranges, methods
// other than its own.
QuantizeMode AmctModeFor(const QuantizeOptions& options);

// Predicted scales of the layers, and the calibration that they come from.
struct PredictedLayers {
  SharedQuantization quantization;
  Calibration made;
  std::vector<std::string> warnings;  // that they are predicted, among others
};

PredictedLayers PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                            const Model& model);

// Writes the samples for AMCT into the output folder, beside the points; nothing if there are none.
// Error kIo.
void WriteCalibrationSamples(const Dataset& samples, const Graph& graph,
                             const std::filesystem::path& output);

}  // namespace halftone
