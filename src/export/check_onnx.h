// Check of a written model against ONNX: types of operands and results, names, order.
#pragma once

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace halftone {

// Checks types by the schemas of libonnx, node by node, also in bodies of If, Loop and Scan. In a
// model of an opset that is newer than the library's, operands may have any type; only those that
// the newest known schema gives one type must agree. Models of an opset that the library has must
// also pass its checker and its inference of shapes. Does not look at the data of tensors of more
// than 1 KiB, which `model` need not hold. Error kUnsupported: names the node and the tensor, and
// both types.
void CheckOnnx(const onnx::ModelProto& model);

}  // namespace halftone
