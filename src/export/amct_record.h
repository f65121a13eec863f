// The record file of AMCT: the scales of the layers that it quantises.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes a record in the text form of protocol buffers for each product of the plan with constant
// weights in 8 bits. A record for each AveragePool in 8 bits has only scale_d and offset_d:
//
//   record { key: "conv1" value { scale_d: 0.0235294 offset_d: -128 scale_w: 0.003 offset_w: 0 } }
//
// real = scale_d * (q - offset_d) of the operand, q from -128 to 127. Each result channel has a
// scale_w and an offset_w, which is 0 except for Cloud AI's schemas; they belong to weights with
// BatchNormalization folded into them, which AMCT does first. Losses and errors as EncodingsOf().
// Source: hiascend, AMCT, "Record Files".
ExportedText WriteAmctRecord(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
