// Encodings of AIMET, for the converters of QNN, QAIRT and SNPE (--quantization_overrides).
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/files/range_table.h"

namespace halftone {

// Every float tensor that the network has is there under its name, so that a converter calibrates
// none by itself: 8 bits with the scales of the plan, or floating point of 16 or 32 bits. Notes say
// what encodings do not have: bfloat16, channel factors, shifts of biases, weights that another
// operator is folded into. Errors as ScaleOf() (src/exec/integer_steps.h).
ExportedText WriteEncodings(const Graph& network, const PrecisionPlan& plan, AimetVersion version);

}  // namespace halftone
