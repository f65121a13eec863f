// Predicts the ranges of layers that AMCT quantises while ATC compiles (src/amct/).
#pragma once

#include "search/calibrate/calibrate.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/quantize_options.h"
#include "src/api/tune/prepare.h"

namespace halftone {

// The mode of a run for such a target: off unless asked for, because ATC then needs the device and
// finds the ranges again. Error kUsage for options that AMCT does not take: kOnly, ranges, methods
// other than its own.
QuantizeMode AmctModeFor(const QuantizeOptions& options);

// Sets the scales of the layers from the samples, and warns that they are predicted. Returns the
// calibration that they come from.
Calibration PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                        Prepared& prepared);

// Writes the samples for AMCT into the output folder, beside the points; nothing if there are none.
// Error kIo.
void WriteCalibrationSamples(const Prepared& prepared);

}  // namespace halftone
