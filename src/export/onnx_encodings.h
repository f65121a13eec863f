// Encodings of AIMET in version 2.0.0, by the convention of ONNX. QAIRT reads them from 2.37 on.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes {"version": "2.0.0", "encodings": [{"name", "output_dtype": "uint8", "y_scale",
// "y_zero_point"}, ...]}: activations in uint8, weights in int8 and biases in int32 with an axis.
// Tensors in floating point have no entry: the flags of the command give the most frequent width,
// 16 or 32 bits, and losses list the tensors of the other width. Error kUnsupported: a plan without
// 8 bits. Other errors as EncodingsOf(). Source: AIMET, "Encoding format specification".
ExportedText WriteOnnxEncodings(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
