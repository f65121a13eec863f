#include "src/export/write_dynamic.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <variant>
#include <vector>

namespace halftone {
namespace {

// Operand indices of DynamicMatMul (kernels/quantized/dynamic_product.h).
constexpr std::size_t kWeights = 1;
constexpr std::size_t kWeightScales = 2;

constexpr float kLeastRowMagnitude = 0x1p-119F;  // kernels/quantized/dynamic_product.h
constexpr std::int64_t kUInt8Type = 2;           // TensorProto::UINT8
constexpr std::int64_t kFloatType = 1;           // TensorProto::FLOAT
constexpr std::int64_t kOpsetOfAxesOperand = 18;

class DynamicWriter {
 public:
  DynamicWriter(const DynamicNode& node, const IntegerStep& step, RoundedTensors& tensors)
      : node_(node), step_(step), tensors_(tensors) {}

  void Write() {
    const std::string largest = Add("Max", {LargestOfRows(), Number("least", kLeastRowMagnitude)});
    const std::string most = Number("most", 127.0F);
    const std::string back = Add("Div", {largest, most});
    const std::string whole = Add("Round", {Add("Mul", {node_.rows, Add("Div", {most, largest})})});
    const std::string shifted = Add("Add", {whole, Number("middle", 128.0F)});
    const std::string sums =
        Add("MatMulInteger", {Cast(shifted, kUInt8Type), Constant("quantized", kWeights),
                              tensors_.parts().AddTensor(
                                  node_.name + "_zero_point",
                                  Tensor::From<std::uint8_t>({}, std::vector<std::uint8_t>{128}))});
    const std::string scaled =
        Add("Mul", {Cast(sums, kFloatType), Constant("scale", kWeightScales)});
    if (node_.bias.empty()) {
      Add("Mul", {scaled, back}, node_.result);
    } else {
      Add("Add", {Add("Mul", {scaled, back}), node_.bias}, node_.result);
    }
  }

 private:
  std::string Free(std::string_view what) {
    return tensors_.parts().FreeName(fmt::format("{}_{}", node_.name, what));
  }

  // The result of a node; `result` empty: of a free name.
  std::string Add(onnx::NodeProto node, std::string result) {
    if (result.empty()) {
      result = Free(node.op_type() + "_Output");
    }
    node.add_output(result);
    tensors_.AddNode(std::move(node));
    return result;
  }

  std::string Add(std::string_view op, const std::vector<std::string>& inputs,
                  std::string result = {}) {
    onnx::NodeProto node = MakeNode(op, Free(op), inputs, "");
    node.clear_output();
    return Add(std::move(node), std::move(result));
  }

  std::string Cast(const std::string& from, std::int64_t type) {
    onnx::NodeProto node = MakeNode("Cast", Free("Cast"), {from}, "");
    node.clear_output();
    SetInt(node, "to", type);
    return Add(std::move(node), "");
  }

  // [..., 1]
  std::string LargestOfRows() {
    const std::string magnitudes = Add("Abs", {node_.rows});
    onnx::NodeProto node = MakeNode("ReduceMax", Free("ReduceMax"), {magnitudes}, "");
    node.clear_output();
    if (node_.opset >= kOpsetOfAxesOperand) {
      node.add_input(tensors_.parts().AddTensor(
          node_.name + "_axes", Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{-1})));
    } else {
      Attributes axes;
      axes.Set("axes", std::vector<std::int64_t>{-1});
      SetAttributes(node, axes);
    }
    SetInt(node, "keepdims", 1);
    return Add(std::move(node), "");
  }

  std::string Number(std::string_view what, float value) {
    return tensors_.parts().AddTensor(fmt::format("{}_{}", node_.name, what),
                                      Tensor::From<float>({}, std::vector{value}));
  }

  std::string Constant(std::string_view what, std::size_t operand) {
    return tensors_.parts().AddTensor(fmt::format("{}_weights_{}", node_.name, what),
                                      std::get<Tensor>(step_.inputs.at(operand)));
  }

  const DynamicNode& node_;
  const IntegerStep& step_;
  RoundedTensors& tensors_;
};

}  // namespace

void WriteDynamicProduct(const DynamicNode& node, const IntegerStep& step,
                         RoundedTensors& tensors) {
  DynamicWriter(node, step, tensors).Write();
}

}  // namespace halftone
