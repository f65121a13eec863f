// Encodings of AIMET, for the converters of QNN, QAIRT and SNPE (--quantization_overrides).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/files/range_table.h"

namespace halftone {

// Every float tensor of the network under its name: 8 bits with the scales of the plan, or floating
// point of 16 or 32 bits.
struct PlanEncodings {
  RangeTable table;
  std::map<std::string, int> axes;  // of tensors with a scale for each channel
  // What encodings of any version do not have: bfloat16, channel factors, shifts of biases, weights
  // that another operator is folded into.
  std::vector<Loss> losses;
};

// Errors as ScaleOf() (src/exec/integer_steps.h).
PlanEncodings EncodingsOf(const Graph& network, const PrecisionPlan& plan);

// All of EncodingsOf(), so that a converter calibrates no tensor by itself.
ExportedText WriteEncodings(const Graph& network, const PrecisionPlan& plan, AimetVersion version);

}  // namespace halftone
