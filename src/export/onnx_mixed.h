// Typed files: a plan with operators in float16 and bfloat16 as an ONNX model whose tensors have
// these types.
//
// Nodes, names, opset and interface are those of the user's model, whose own 16-bit tensors keep
// their types. An operator that the plan has
// wholly in one 16-bit type is one on tensors of that type; Casts stand where types meet. Any other
// operator computes in float32 on operands that are rounded as the plan rounds them, and a Cast
// behind it rounds its result: one that reads another type than it makes, one whose type comes with
// a newer opset, and the parts of a normalisation or an activation that halftone computes as one
// operator with float32 inside. So runtimes that strictly obey types compute what was measured, but
// for tensors between a product and what is fused behind it: they have a type of their own here.
// docs/guide/exporting.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/export/exported_file.h"
#include "src/export/finish_model.h"
#include "src/export/weight_file.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct MixedModel {
  std::string bytes;               // serialised
  WeightFile weights;              // the file beside it, form.data_name; empty: there is none
  std::int64_t opset = 0;          // of ai.onnx
  std::int64_t low_operators = 0;  // nodes of the file on 16-bit tensors
  std::int64_t casts = 0;
  std::vector<std::string> notes;  // full sentences: what the file does not say as the plan has it
  std::vector<Loss> losses;        // the same by nodes, where it can be said so
};

// `model`: file or folder that `network` was imported from; `plan` is of `network`. Error
// kUnsupported: an operator in 8 bits, an opset without Casts to a type of the plan, a message
// above form.most_bytes, as FinishModel() where the file would not be valid ONNX; kIo, kModel as
// ImportOnnx().
MixedModel WriteOnnxMixed(const std::filesystem::path& model, const Graph& network,
                          const PrecisionPlan& plan, const ModelForm& form = {});

}  // namespace halftone
