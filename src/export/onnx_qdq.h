// QDQ files: a plan with operators in qint8 as an ONNX model that any runtime reads.
//
// The nodes, names and opset are those of the user's model (opset 13 where it is older). A tensor
// that the plan has in qint8 stands between a QuantizeLinear and a DequantizeLinear with its scale
// and zero point; one in float16 or bfloat16 between two Casts. Constant weights of integer
// products are int8 behind a DequantizeLinear, with the scales, integers and biases that halftone
// computes with: its integer steps are written from the plan as it is lowered
// (src/exec/integer_steps.h), so that what fusion folds is folded in the file. BatchNormalization
// and constant factors are part of the weights; a MatMul with a constant bias is a Gemm; tensors
// inside a step, such as that between a Conv and its Add or Relu, are not rounded. A tensor with
// channel factors is divided by them between its pair and wherever integers compute with it, as in
// the integer steps; a Mul stands where a float operator, an input or an output needs the tensor
// itself.
// A product in dynamic int8 becomes its arithmetic around a MatMulInteger
// (src/export/write_dynamic.h).
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

enum class QdqFlavour : std::uint8_t {
  kOrt,       // uint8 with zero points, int32 biases: ONNX Runtime, OpenVINO, QNN
  kTensorRt,  // int8 without zero points, float biases: TensorRT
};

struct QdqModel {
  std::string bytes;               // serialised
  WeightFile weights;              // the file beside it, form.data_name; empty: there is none
  std::int64_t opset = 0;          // of ai.onnx
  std::int64_t tensors = 0;        // that the file rounds
  std::int64_t products = 0;       // operators with int8 weights
  std::vector<std::string> notes;  // full sentences: what the file does not say as the plan has it
  std::vector<Loss> losses;        // the same by nodes, where it can be said so
};

// `model`: file or folder that `network` was imported from; `plan` is of `network`. Error
// kUnsupported: an opset that cannot be raised, an interface whose dtypes the plan changes, a
// format that no ONNX operator rounds to, a message above form.most_bytes; kUsage as
// IntegerStepOf(); kIo, kModel as ImportOnnx().
QdqModel WriteOnnxQdq(const std::filesystem::path& model, const Graph& network,
                      const PrecisionPlan& plan, QdqFlavour flavour, const ModelForm& form = {});

}  // namespace halftone
