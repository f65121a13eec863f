// Check of a written model against ONNX: names, order, and types of operands and results.
#pragma once

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace halftone {

// Checks names, order and types by the schemas of libonnx, node by node, also in bodies of If, Loop
// and Scan. If an opset is newer than the library's, operands may have any type; but operands for
// which the newest known schema asks one type must agree. If the library has the model's opsets and
// all outputs have types, the model must also pass its checker and its shape inference. The data of
// initializers of more than 128 elements are not looked at; `model` need not hold them. Error
// kUnsupported: the message names the node and the tensor, and the types if these are wrong.
void CheckOnnx(const onnx::ModelProto& model);

}  // namespace halftone
