// Shapes of inputs with free dimensions, determined from the samples of the run.
#pragma once

#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/onnx/model_inputs.h"
#include "src/onnx/reader.h"

namespace halftone {

struct ShapesInData {
  InputShapes shapes;              // shapes of the inputs whose free dimensions the samples fix
  std::vector<std::string> notes;  // full sentences
};

// True if --inputs is a folder of PNG and JPEG files, or one of them.
bool InputsAreImages(const std::string& inputs);

// Finds the shapes of inputs that have free dimensions and are not in `given`, from the samples in
// options.inputs or options.arrays (src/accuracy/data_extents.h). A raw file has no extents: there,
// a named dimension gets the extent of the same name in another input, and a first dimension that
// is still free becomes 1. Errors: kUsage if free dimensions of a raw file remain; as
// ExtentsInData().
ShapesInData ShapesFromData(const std::vector<ModelInput>& model_inputs, const InputShapes& given,
                            const ModelOptions& options);

}  // namespace halftone
