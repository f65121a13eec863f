// Shapes of inputs with free dimensions, taken from the samples of the run.
#pragma once

#include <vector>

#include "src/api/halftone.h"
#include "src/onnx/model_inputs.h"
#include "src/onnx/reader.h"

namespace halftone {

// Finds them by the inputs, or the arrays, of the options. In test_data_set folders the shape of
// the first set counts; in stacked files a free first dimension is the batch and becomes 1. Inputs
// without free dimensions and inputs whose file has another rank get no entry: loading the data
// says what is wrong there.
InputShapes ShapesFromData(const std::vector<ModelInput>& model_inputs,
                           const ModelOptions& options);

}  // namespace halftone
