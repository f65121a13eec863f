// Samples of a calibration.
#pragma once

#include "src/accuracy/dataset.h"

namespace halftone {

// At most kMostCalibrationSamples (src/api/quantize_options.h) of them, evenly spaced.
Dataset CalibrationPart(const Dataset& all);

}  // namespace halftone
