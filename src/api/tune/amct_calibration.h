// Calibration for layers that AMCT quantises while ATC compiles (src/amct/): its ranges predicted.
#pragma once

#include "search/calibrate/calibrate.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/quantize_options.h"
#include "src/api/tune/prepare.h"

namespace halftone {

// The mode of a run for such a target: off unless it is asked for, as ATC then needs the device and
// finds the ranges again. Error kUsage for what AMCT does not take: kOnly, ranges, other methods
// than its own.
QuantizeMode AmctModeFor(const QuantizeOptions& options);

// Sets the scales of the layers from the samples, and warns that they are predicted. Returns the
// calibration that they come from.
Calibration PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                        Prepared& prepared);

// Writes the samples that AMCT gets beside the points into the output folder; none: nothing. Error
// kIo.
void WriteCalibrationSamples(const Prepared& prepared);

}  // namespace halftone
