// Shapes of inputs with free dimensions, taken from the samples of the run.
#pragma once

#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/onnx/model_inputs.h"
#include "src/onnx/reader.h"

namespace halftone {

struct ShapesInData {
  InputShapes shapes;              // of the inputs whose free dimensions the data fix
  std::vector<std::string> notes;  // full sentences
};

// True if --inputs is a folder of PNG and JPEG files, or one of them.
bool InputsAreImages(const std::string& inputs);

// Finds them by the inputs, or the arrays, of the options (src/accuracy/data_extents.h), for inputs
// with free dimensions that are not `given`; a raw file has those of the names that other inputs
// bind, and a batch of 1. Error kUsage: a raw file whose free dimensions nothing says; as
// ExtentsInData().
ShapesInData ShapesFromData(const std::vector<ModelInput>& model_inputs, const InputShapes& given,
                            const ModelOptions& options);

}  // namespace halftone
