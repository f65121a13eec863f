// Typed files: a plan with operators in float16 and bfloat16 as an ONNX model whose tensors have
// these types.
//
// Nodes, names, opset and interface are those of the user's model, whose own 16-bit tensors keep
// their types. An operator that the plan has wholly in one 16-bit type runs on tensors of that
// type; Casts stand where types meet. Every other operator computes in float32 on operands that are
// rounded as the plan rounds them, and a Cast behind it rounds its result. Such operators are:
// - an operator that reads another type than it makes;
// - an operator whose 16-bit type needs a newer opset;
// - the parts of a normalisation or an activation that halftone computes as one operator with
//   float32 inside.
//
// So runtimes that strictly obey types compute what was measured. There is one exception: a tensor
// between a product and the operator fused behind it has a type of its own here.
//
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
  WeightFile weights;              // the second file, form.data_name; empty: there is none
  std::int64_t opset = 0;          // of ai.onnx
  std::int64_t low_operators = 0;  // nodes of the file that run on 16-bit tensors
  std::int64_t casts = 0;
  // Full sentences: decisions of the plan that the file changes or lacks.
  std::vector<std::string> notes;
  std::vector<Loss> losses;  // the same by node, where a note is about single nodes
};

// `model` is the file or folder that `network` was imported from. `plan` is of `network`. Error
// kUnsupported: the plan has an operator in a scaled format, or the opset has no Cast to a type of
// the plan. Other errors as RefuseExported(), FinishModel() and ImportOnnx().
MixedModel WriteOnnxMixed(const std::filesystem::path& model, const Graph& network,
                          const PrecisionPlan& plan, const ModelForm& form = {});

}  // namespace halftone
