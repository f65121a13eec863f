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

// Finds the shapes of inputs with free dimensions that are not `given`, from the inputs or arrays
// of the options (src/accuracy/data_extents.h). In a raw file, named dimensions have the extents
// that other inputs give these names, and the batch is 1. Error kUsage: a raw file with free
// dimensions that nothing determines; else as ExtentsInData().
ShapesInData ShapesFromData(const std::vector<ModelInput>& model_inputs, const InputShapes& given,
                            const ModelOptions& options);

}  // namespace halftone
