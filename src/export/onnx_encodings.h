// Encodings of AIMET in version 2.0.0, by the convention of ONNX: QAIRT from 2.37.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// {"version": "2.0.0", "encodings": [{"name", "output_dtype": "uint8", "y_scale", "y_zero_point"},
// ...]}: activations in uint8, weights in int8 and biases in int32 with an axis. Tensors in
// floating point have no entry: the flags of the command give their most frequent type, losses list
// the others. Error kUnsupported: a plan without 8 bits. Errors as EncodingsOf(). Source: AIMET,
// "Encoding format specification".
ExportedText WriteOnnxEncodings(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
