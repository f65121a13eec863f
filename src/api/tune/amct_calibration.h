// Prediction of the ranges of the layers that AMCT quantises while ATC compiles (src/amct/).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "search/calibrate/calibrate.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/quantize_options.h"

namespace halftone {

// Quantisation mode of a run for a target of AMCT. Off unless the options ask for it, because ATC
// needs the device for 8-bit layers, to find their ranges there again. Error kUsage for options
// that AMCT does not have: mode kOnly, given ranges, and calibration methods other than its own.
QuantizeMode AmctModeFor(const QuantizeOptions& options);

// Predicted scales of the layers.
struct PredictedLayers {
  SharedQuantization quantization;    // scales of the tensors that the layers read
  Calibration made;                   // calibration of the whole network
  std::vector<std::string> warnings;  // full sentences; one says that the scales are predicted
};

// Calibrates the network on the samples by AMCT's default method.
PredictedLayers PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                            const Model& model);

// Writes the samples into the folder `output`, beside the points; does nothing without samples.
// Error kIo.
void WriteCalibrationSamples(const Dataset& samples, const Graph& graph,
                             const std::filesystem::path& output);

}  // namespace halftone
