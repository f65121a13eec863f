// The precision options under which ATC quantises layers of a network.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/resolve/modes.h"

namespace halftone {

// Error kUsage with the rule of ATC if the options have layers in 8 bits (kQuantizedInFloat16) and
// also ask for high precision, beside which ATC does not calibrate, or for a mode that lowers
// nothing to float16, the type of the results of such layers.
void RequireCalibration(const Graph& graph, const PrecisionOptions& options,
                        const PrecisionMode& mode);

}  // namespace halftone
