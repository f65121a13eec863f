// Calibration of a tuning run: the scales of its 8-bit operators.
#pragma once

#include "search/calibrate/calibrate.h"
#include "src/api/tune/prepare.h"

namespace halftone {

// Whether operators may compute in 8 bits in this run. Error kUsage: the target has no such
// operators, but the options ask for them.
QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples);

// Sets the quantisation of the space, and its modes where 16 bits are left out. Samples that are
// set aside leave those of the search. Adds warnings. Errors as LoadSamples(),
// CalibrationCandidates().
void PrepareQuantization(const TuneCallbacks& callbacks, Prepared& prepared);

// Writes the samples that AMCT gets beside the points into the output folder; none: nothing. Error
// kIo.
void WriteCalibrationSamples(const Prepared& prepared);

}  // namespace halftone
