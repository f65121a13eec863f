// Arguments of trtexec that give layers their precision: TensorRT 8.6 to 10.x.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/export/exported_file.h"
#include "src/export/file_nodes.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The 16-bit types of a plan as builders of TensorRT up to 10.x take them: one for all layers, and
// the layers that have another type.
struct TensorRtTypes {
  NumericFormat usual;              // the most frequent 16-bit type
  bool half = false;                // some operator has float16
  bool brain = false;               // some operator has bfloat16
  std::vector<PlannedNode> others;  // nodes in another type than the usual one
};

// `file` is a noun for messages: "arguments of trtexec". Error kUnsupported: the plan has operators
// in 8 bits, or none in 16 bits.
TensorRtTypes TensorRtTypesOf(const Graph& network, const PrecisionPlan& plan,
                              std::string_view file);

// Name that onnx-tensorrt gives the layer of a node.
std::string TensorRtLayerOf(const PlannedNode& node);

// Loss of a layer whose name several nodes have. `usual` is the type in which it is built.
Loss SharedLayerLoss(const PlannedNode& node, NumericFormat usual);

// Writes one argument a line: comments behind #, then --onnx=<model>, --fp16 and --bf16,
// --precisionConstraints=obey, --noTF32, --layerPrecisions and --layerOutputTypes. The last two
// list the operators that differ from the most frequent 16-bit type. Layers have the names of
// onnx-tensorrt: that of the node, or "node_of_<first output>". Errors as TensorRtTypesOf();
// kUnsupported: a path with a line break, or a list longer than Linux takes as one argument.
// Source: TensorRT 10.16, samples/common/sampleOptions.cpp, and onnx-tensorrt 10.1,
// importerUtils.cpp.
ExportedText WriteTensorRtArguments(const std::string& model, const Graph& network,
                                    const PrecisionPlan& plan);

}  // namespace halftone
