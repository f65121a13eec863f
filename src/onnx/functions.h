// Functions that a model defines beside its graph. A node may call a function; the nodes of the
// function's body replace it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

class ModelFunctions {
 public:
  // Error kModel: two functions of a domain have one name. `model` must outlive the object.
  explicit ModelFunctions(const onnx::ModelProto& model);

  // Returns the function that `node` calls; null: the node is an operator.
  [[nodiscard]] const onnx::FunctionProto* Find(const onnx::NodeProto& node) const;

 private:
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;  // by domain and name
};

// Returns the body of `function` as a graph with the inputs and outputs of the function. An
// attribute of the body that refers to an attribute of the function gets the value in the call, or
// else the default of the function; without either it is dropped.
onnx::GraphProto BodyOfCall(const onnx::FunctionProto& function, const onnx::NodeProto& call);

// Returns the version of ai.onnx for which the body is written; `fallback`: the function declares
// none.
std::int64_t OpsetOfFunction(const onnx::FunctionProto& function, std::int64_t fallback);

}  // namespace halftone
