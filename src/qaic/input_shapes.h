// Input shapes that -batchsize, -onnx-define-symbol and -model-input give a model.
#pragma once

#include <span>
#include <string>

#include "src/onnx/model_inputs.h"
#include "src/qaic/compile_options.h"

namespace halftone {

// The text of --input_shape: every input whose free dimensions, or first extent, the options
// decide; empty: none. A shape of -model-input wins over symbols. Error kUsage: a symbol or an
// input that the model does not have (with the closest names), a rank or an extent that contradicts
// the model, a free dimension that none of the options decides, a name that --input_shape cannot
// express.
std::string InputShapeText(std::span<const ModelInput> inputs, const QaicCompileOptions& options);

}  // namespace halftone
