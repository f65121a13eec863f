// Input shapes of a model by -batchsize, -onnx-define-symbol and -model-input.
#pragma once

#include <span>
#include <string>

#include "src/onnx/model_inputs.h"
#include "src/qaic/compile_options.h"

namespace halftone {

// A value of --input_shape ("x:8,3,224,224;y:8,10") with the inputs whose extents the options
// change. Empty if there are none. A shape of -model-input wins over symbols and the batch size.
//
// Error kUsage:
// - the model has no such symbol or input (the message names the closest);
// - -model-input has another rank than the input;
// - -batchsize contradicts a fixed batch;
// - an extent stays free;
// - the name of a listed input has a semicolon.
//
// An extent of -model-input that contradicts a fixed one passes. The import of the model refuses
// it.
std::string InputShapeText(std::span<const ModelInput> inputs, const QaicCompileOptions& options);

}  // namespace halftone
