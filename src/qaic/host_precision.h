// Precisions of nodes on a Cloud AI command line, as precision options of the host.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// Options whose plan, for cloud_ai_100 or the host, gives every node its choice.
// - With `to_fp16` (-convert-to-fp16): force_fp16, and keep_dtype for the nodes that keep their
//   original types.
// - Without: must_keep_origin_dtype, customize_dtypes for the nodes in FP16, and the format qint8
//   or qint16 in node_formats for the nodes in integers.
// - In both cases: customize_dtypes for nodes in FP32 or in integers whose tensors are not float32
//   in the model.
//
// The caller adds the scales of the nodes in integers.
PrecisionOptions HostPrecision(const Graph& graph, const NodeChoices& choices, bool to_fp16);

}  // namespace halftone
