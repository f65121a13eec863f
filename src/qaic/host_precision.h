// Precisions of a Cloud AI command line as precision options of the host.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// Options whose plan, for cloud_ai_100 or the host, gives every node its choice:
// - -convert-to-fp16: force_fp16, and keep_dtype for the nodes that are not FP16;
// - else must_keep_origin_dtype, and customize_dtypes for the nodes that are FP16 or FP32;
// - Int8: the format qint8 of PrecisionOptions::node_formats. The caller gives the scales.
PrecisionOptions HostPrecision(const Graph& graph, const NodeChoices& choices, bool to_fp16);

}  // namespace halftone
