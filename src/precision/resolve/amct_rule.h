// Check of the precision options under which ATC quantises layers of a network.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/resolve/modes.h"

namespace halftone {

// Checks options with layers in 8 bits (kQuantizedInFloat16); other options pass. Error kUsage with
// the rule of ATC: the options ask for high precision, beside which ATC does not calibrate, or
// `mode` lowers nothing to float16, which is the dtype of the results of such layers.
void RequireCalibration(const Graph& graph, const PrecisionOptions& options,
                        const PrecisionMode& mode);

}  // namespace halftone
