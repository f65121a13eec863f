// Last steps of writing a rewritten ONNX model: removal of unused parts, checks, data of other
// files, serialisation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "src/base/hash.h"
#include "src/export/weight_file.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace halftone {

// Most bytes of a protobuf message.
inline constexpr std::size_t kMostMessageBytes = std::numeric_limits<std::int32_t>::max();

// Form of a written model: one file, or a second one with its large tensors.
struct ModelForm {
  // A model with more bytes has its large tensors in the second file.
  std::size_t most_bytes = kMostMessageBytes;
  // Name of the second file, which lies in the folder of the model.
  std::string data_name = "model.onnx.data";
};

struct ModelBytes {
  std::string message;  // serialised
  WeightFile weights;   // the second file; empty: the message holds all
  std::string note;  // a sentence if the user's model and this one are not valid ONNX; else empty
};

// Error kUnsupported if FinishModel() wrote the model: its nodes hold a plan already, and a second
// one would come on top.
void RefuseExported(const onnx::ModelProto& model);

// Data of initializers that the network has too, by the name of the initializer.
using SharedData = std::map<std::string, Tensor, std::less<>>;

// Takes the data of initializers of 64 KiB or more out of the message if `network` has the same
// bytes, so that they are in memory once. FinishModel() puts the data of the remaining initializers
// back. Writers that run in between read the data from the network.
SharedData ShareData(onnx::ModelProto& model, const Graph& network);

// Error kUnsupported, naming the tensor: a node of the file still reads a tensor that an integer
// operator folds into itself. An example is a node that reads the shape of a Conv's result, if
// BatchNormalization is folded into that Conv.
void CheckReads(const onnx::GraphProto& graph);

// Removes initializers that nothing reads, and types of tensors that nothing makes. Removes
// initializers from the inputs, since they are constants.
void DropUnused(onnx::GraphProto& graph);

// Makes the bytes of a finished model. `source` is the model of the user, `shared` the result of
// ShareData(), and `model` is used up.
// - Raises the version of the format (ir_version) to 4, from which on constants are no inputs.
// - Notes the digest of the plan in the metadata.
// - Includes data from files beside `source`, since these files do not lie beside the new model.
// - Checks the model by CheckOnnx() (src/export/check_onnx.h).
// - If the model has more than form.most_bytes, moves initializers of its main graph of 1 KiB or
//   more to the second file; other tensors stay.
//
// Error kUnsupported: CheckOnnx() refuses the model and not `source`, or the tensors that stay have
// more than form.most_bytes. kIo, kModel: data are missing.
ModelBytes FinishModel(onnx::ModelProto& model, const SharedData& shared, const Hash128& plan,
                       const std::filesystem::path& source, const ModelForm& form);

}  // namespace halftone
