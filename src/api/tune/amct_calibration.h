// Prediction of the ranges of the layers that AMCT quantises while ATC compiles (src/amct/).
#pragma once

#include "search/calibrate/calibrate.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/quantize_options.h"
#include "src/api/tune/prepare.h"

namespace halftone {

// Quantisation mode of a run for a target of AMCT. Off unless the options ask for it, because ATC
// needs the device for 8-bit layers, to find their ranges there again. Error kUsage for options
// that AMCT does not have: mode kOnly, given ranges, and calibration methods other than its own.
QuantizeMode AmctModeFor(const QuantizeOptions& options);

// Calibrates the network on the samples, sets the scales of the layers in prepared.space, and adds
// a warning that they are predicted. Returns the calibration.
Calibration PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                        Prepared& prepared);

// Writes Prepared::calibration_samples into the output folder, beside the points. Error kIo.
void WriteCalibrationSamples(const Prepared& prepared);

}  // namespace halftone
