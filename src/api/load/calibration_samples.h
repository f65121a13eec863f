// Samples of a calibration.
#pragma once

#include <cstddef>

#include "src/accuracy/dataset.h"

namespace halftone {

// At most kMostCalibrationSamples (src/api/quantize_options.h) of them, evenly spaced.
Dataset CalibrationPart(const Dataset& all);

// `count` of them, at most all.
Dataset EvenlySpaced(const Dataset& all, std::size_t count);

}  // namespace halftone
