// Record of the scales of a network, for reports (src/quantization/calibration_record.h).
#pragma once

#include <map>
#include <string>

#include "search/calibrate/calibrate.h"
#include "src/ir/graph.h"
#include "src/quantization/calibration_record.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Records every tensor and every constant weight of the network for which `quantization` has
// scales. `tensors`: Calibration::tensors, with statistics of values divided by the factors of
// `quantization`; empty if the scales were given and nothing was calibrated. The weights of each
// product are quantised once. Errors: those of IntegerStepOf().
CalibrationRecord RecordCalibration(const Graph& graph, const Quantization& quantization,
                                    const std::map<std::string, CalibratedTensor>& tensors,
                                    QuantizationSource source);

}  // namespace halftone
