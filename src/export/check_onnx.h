// What ONNX says of a model that is written: types of operands and results, names, order.
#pragma once

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace halftone {

// Types by the schemas of libonnx, node by node, in bodies of If, Loop and Scan too; of operators
// that a newer opset than the library's has changed, the types that an operator has in common with
// its older form. Models of an opset that the library has also pass its checker and its inference
// of shapes. Does not look at the data of tensors of more than 1 KiB, which `model` need not hold.
// Error kUnsupported: names the node and the tensor, and both types.
void CheckOnnx(const onnx::ModelProto& model);

}  // namespace halftone
