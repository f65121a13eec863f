// Record file of AMCT: the scales of the layers that it quantises.
#pragma once

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Writes records in the text form of protocol buffers: one for each product of the plan with
// constant weights in 8 bits, and one with scale_d and offset_d alone for each AveragePool in 8
// bits. A layer without a name has none.
//
//   record { key: "conv1" value { scale_d: 0.0235294 offset_d: -128 scale_w: 0.003 offset_w: 0 } }
//
// real = scale_d * (q - offset_d) of the operand, with q from -128 to 127. Weights have one scale_w
// and offset_w, or one of each for each result channel. offset_w is 0 except under Cloud AI's
// schemas. The scales belong to weights with BatchNormalization folded into them, which AMCT does
// first. Losses and errors as EncodingsOf(). Source: hiascend, AMCT, "Record Files".
ExportedText WriteAmctRecord(const Graph& network, const PrecisionPlan& plan);

}  // namespace halftone
