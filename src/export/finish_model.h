// Last steps of writing a rewritten model: checks, removal of unused parts, data of other files,
// bytes.
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

// Protobuf refuses larger messages.
inline constexpr std::size_t kMostMessageBytes = std::numeric_limits<std::int32_t>::max();

// Places of the bytes of a model.
struct ModelForm {
  // A model whose bytes are more has its large tensors in a second file.
  std::size_t most_bytes = kMostMessageBytes;
  // Name of that file, which lies in the folder of the model.
  std::string data_name = "model.onnx.data";
};

struct ModelBytes {
  std::string message;  // serialised
  WeightFile weights;   // the file `data_name`; empty: the message holds all
  std::string note;     // a sentence where the model of the user is not valid ONNX; else empty
};

// Error kUnsupported for a model that FinishModel() wrote: its nodes hold a plan already, and a
// second one would come on top.
void RefuseExported(const onnx::ModelProto& model);

// Data of initializers that the network has too, by name.
using SharedData = std::map<std::string, Tensor, std::less<>>;

// Takes the data of large initializers out of the message where `network` has the same bytes, so
// that they are in memory once; FinishModel() puts back those that the file still has. Writers that
// run in between read the network.
SharedData ShareData(onnx::ModelProto& model, const Graph& network);

// Error kUnsupported naming a tensor that a node of the file still reads although an integer
// operator folds it into itself, such as the shape of a result that BatchNormalization is folded
// into.
void CheckReads(const onnx::GraphProto& graph);

// Removes initializers that nothing reads and types of tensors that nothing makes; initializers
// are constants, so that none of them stays an input.
void DropUnused(onnx::GraphProto& graph);

// Makes the bytes of a finished model. Raises the version of the format to 4, from which on
// constants are no inputs; checks the model as CheckOnnx() (src/export/check_onnx.h); notes the
// digest of the plan in its metadata; includes data from files beside `source`, the model of the
// user, since these do not lie beside the new model. The message of a model above form.most_bytes
// is small: tensors of 1 KiB or more that are initializers of its main graph lie in the second
// file; the others stay. `shared`: the result of ShareData(). `model` is used up. Error
// kUnsupported: CheckOnnx() refuses the model and not `source`; the tensors that stay are above
// form.most_bytes. kIo, kModel: data that are missing.
ModelBytes FinishModel(onnx::ModelProto& model, const SharedData& shared, const Hash128& plan,
                       const std::filesystem::path& source, const ModelForm& form);

}  // namespace halftone
