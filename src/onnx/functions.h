// Functions that a model defines beside its graph: a node that calls one stands for its body.
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
  // Error kModel when two functions of a domain have one name. Refers to `model`.
  explicit ModelFunctions(const onnx::ModelProto& model);

  // The function that `node` calls; null: it is an operator.
  [[nodiscard]] const onnx::FunctionProto* Find(const onnx::NodeProto& node) const;

 private:
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;  // by domain and name
};

// The body of `function` as a graph of its inputs and outputs. Attributes that refer to those of
// the call take the value of the call, else the default; without either they are dropped.
onnx::GraphProto BodyOfCall(const onnx::FunctionProto& function, const onnx::NodeProto& call);

// The version of ai.onnx that the body is written for; `fallback` when it declares none.
std::int64_t OpsetOfFunction(const onnx::FunctionProto& function, std::int64_t fallback);

}  // namespace halftone
