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

// Encodings of every float tensor of the network under its name: 8 bits with the scales of the
// plan, or floating point of 16 or 32 bits.
struct PlanEncodings {
  RangeTable table;
  std::map<std::string, int> axes;  // of tensors with a scale for each index of the axis
  // Scales of the int8 weights of products, by name of the node: one, or one for each result
  // channel. The weights include the BatchNormalization that is folded into them.
  std::map<std::string, WeightScales> products;
  // Decisions that tables of tensors cannot hold: bfloat16, channel factors, bias shifts.
  std::vector<Loss> losses;
  // Weights that the plan has with another operator folded into them. The folded weights are no
  // tensor of the model, so `table` has no entry for them.
  std::vector<Loss> folded;
};

// Errors as IntegerStepOf() (src/exec/integer_steps.h).
PlanEncodings EncodingsOf(const Graph& network, const PrecisionPlan& plan);

// Writes EncodingsOf() as a file of AIMET, so that a converter calibrates no tensor by itself. The
// losses include PlanEncodings::folded.
ExportedText WriteEncodings(const Graph& network, const PrecisionPlan& plan, AimetVersion version);

}  // namespace halftone
