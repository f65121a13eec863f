// QDQ files: a plan with operators in qint8 as an ONNX model that any runtime reads.
//
// Nodes, names and opset are those of the user's model (opset 13 if the model has an older one). A
// tensor that the plan has in qint8 stands between a QuantizeLinear and a DequantizeLinear with its
// scale and zero point; a tensor in float16 or bfloat16 stands between two Casts. Constant weights
// of integer products are int8 behind a DequantizeLinear, with the scales, integers and biases that
// halftone computes with.
//
// The file is written from the integer steps to which the plan is lowered
// (src/exec/integer_steps.h), so the file folds what fusion folds. BatchNormalization and constant
// factors are part of the weights. A MatMul with a constant bias is a Gemm. Tensors inside a step,
// such as that between a Conv and its Add or Relu, are not rounded.
//
// A tensor with channel factors is divided by them inside its pair, and wherever integers compute
// with it, as in the integer steps. A Mul follows where a float operator, an input or an output
// needs the tensor itself. A product in dynamic int8 becomes its arithmetic around a MatMulInteger
// (src/export/write_dynamic.h).
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

enum class QdqFlavour : std::uint8_t {
  kOrt,       // uint8 with zero points, int32 biases: ONNX Runtime, OpenVINO, QNN
  kTensorRt,  // int8 without zero points, float biases: TensorRT
};

struct QdqModel {
  std::string bytes;          // serialised
  WeightFile weights;         // the second file, form.data_name; empty: there is none
  std::int64_t opset = 0;     // of ai.onnx
  std::int64_t tensors = 0;   // pairs of nodes that round a tensor
  std::int64_t products = 0;  // operators with int8 weights
  // Full sentences: decisions of the plan that the file changes or lacks.
  std::vector<std::string> notes;
  std::vector<Loss> losses;  // the same by node, where a note is about single nodes
};

// `model` is the file or folder that `network` was imported from. `plan` is of `network`. Error
// kUnsupported:
// - the plan changes dtypes of the interface;
// - no ONNX operator rounds to a format of the plan;
// - the file, or TensorRT, cannot express a dynamic product.
//
// Other errors as RefuseExported(), RaiseOpset(), WriteProduct(), FinishModel(), IntegerStepOf()
// and ImportOnnx().
QdqModel WriteOnnxQdq(const std::filesystem::path& model, const Graph& network,
                      const PrecisionPlan& plan, QdqFlavour flavour, const ModelForm& form = {});

}  // namespace halftone
