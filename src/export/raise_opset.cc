#include "src/export/raise_opset.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/export/model_parts.h"
#include "src/ir/op_table.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// From opset 7 on operands broadcast without attributes.
constexpr std::int64_t kOldestRaised = 7;
// The version of the format that came with opset 13; below 4 initializers were inputs.
constexpr std::int64_t kIrVersion = 7;

// A node on its way to opset 13, and what it may add.
struct Raising {
  onnx::NodeProto& node;
  ModelParts& parts;
  const std::map<std::string, const Shape*>& shapes;
  std::vector<onnx::NodeProto>& before;
  std::vector<onnx::NodeProto>& behind;

  [[nodiscard]] const onnx::AttributeProto* Find(std::string_view name) const {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == name) {
        return &attribute;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::string NameOf(std::string_view what) const {
    return fmt::format("{}_{}", node.output(0), what);
  }

  void SetInput(int index, const std::string& name) const {
    while (node.input_size() <= index) {
      node.add_input("");
    }
    node.set_input(index, name);
  }

  // Attribute `name`, a list of integers or one of them, becomes input `index`.
  void IntsToInput(std::string_view name, int index) const {
    const onnx::AttributeProto* attribute = Find(name);
    if (attribute == nullptr) {
      return;
    }
    std::vector<std::int64_t> values(attribute->ints().begin(), attribute->ints().end());
    if (attribute->type() == onnx::AttributeProto::INT) {
      values = {attribute->i()};
    }
    SetInput(index, parts.AddTensor(NameOf(name),
                                    Tensor::From<std::int64_t>({std::ssize(values)}, values)));
    EraseAttribute(node, name);
  }

  // A float attribute becomes a scalar input.
  void FloatToInput(std::string_view name, int index) const {
    const onnx::AttributeProto* attribute = Find(name);
    if (attribute == nullptr) {
      return;
    }
    SetInput(index,
             parts.AddTensor(NameOf(name), Tensor::From<float>({}, std::vector{attribute->f()})));
    EraseAttribute(node, name);
  }
};

void AxesToInput(const Raising& raising) {
  raising.IntsToInput("axes", 1);
}

void SplitToInput(const Raising& raising) {
  raising.IntsToInput("split", 1);
}

void RaiseClip(const Raising& raising) {
  raising.FloatToInput("min", 1);
  raising.FloatToInput("max", 2);
}

void RaisePad(const Raising& raising) {
  raising.IntsToInput("pads", 1);
  raising.FloatToInput("value", 2);
}

void RaiseSlice(const Raising& raising) {
  raising.IntsToInput("starts", 1);
  raising.IntsToInput("ends", 2);
  raising.IntsToInput("axes", 3);
}

void RaiseTopK(const Raising& raising) {
  raising.IntsToInput("k", 1);
}

void RaiseDropout(const Raising& raising) {
  EraseAttribute(raising.node, "ratio");  // training only
}

void RaiseBatchNormalization(const Raising& raising) {
  EraseAttribute(raising.node, "spatial");  // the importer refuses another value than the default
}

void RaiseScatter(const Raising& raising) {
  raising.node.set_op_type("ScatterElements");
}

// Coordinates were divided by the scale and rounded down.
void RaiseResize(const Raising& raising) {
  onnx::NodeProto& node = raising.node;
  if (const onnx::AttributeProto* scales = raising.Find("scales")) {
    const std::vector<float> values(scales->floats().begin(), scales->floats().end());
    raising.SetInput(1, raising.parts.AddTensor(raising.NameOf("scales"),
                                                Tensor::From<float>({std::ssize(values)}, values)));
    EraseAttribute(node, "scales");
  }
  node.set_op_type("Resize");
  raising.SetInput(2, node.input(1));
  node.set_input(1, "");
  const onnx::AttributeProto* mode = raising.Find("mode");
  const bool nearest = mode == nullptr || mode->s() == "nearest";
  SetText(node, "coordinate_transformation_mode", "asymmetric");
  if (nearest) {
    SetText(node, "nearest_mode", "floor");
  }
}

// Opset 13 has no tf_half_pixel_for_nn, (i + 1/2) / scale. That is half_pixel and 1/2: rounded
// down, it is half_pixel rounded to the nearest with halves up; rounded to the nearest with halves
// down, it is half_pixel rounded up.
void RaiseCoordinates(const Raising& raising) {
  const onnx::AttributeProto* const places = raising.Find("coordinate_transformation_mode");
  if (places == nullptr || places->s() != "tf_half_pixel_for_nn") {
    return;
  }
  const onnx::AttributeProto* const mode = raising.Find("mode");
  const onnx::AttributeProto* const rounding = raising.Find("nearest_mode");
  const std::string rounded = rounding == nullptr ? "round_prefer_floor" : rounding->s();
  const bool down = rounded == "floor";
  if ((mode != nullptr && mode->s() != "nearest") || (!down && rounded != "round_prefer_floor")) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("node '{}' (Resize) has tf_half_pixel_for_nn with mode {}, nearest_mode "
                    "{}, which opset {}, that scales per channel need, has no form of; give "
                    "it half_pixel",
                    raising.node.name(), mode == nullptr ? "nearest" : mode->s(), rounded,
                    kQdqOpset));
  }
  SetText(raising.node, "coordinate_transformation_mode", "half_pixel");
  SetText(raising.node, "nearest_mode", down ? "round_prefer_ceil" : "ceil");
}

// The operand was viewed as a matrix cut at `axis`: the same as the newer form where the axes
// behind it have one element.
void RaiseSoftmax(const Raising& raising) {
  onnx::NodeProto& node = raising.node;
  const auto found = raising.shapes.find(node.input(0));
  if (found == raising.shapes.end()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: its operand has no known shape, so that it cannot be written for "
                            "opset {}; convert the model to that opset first",
                            DescribeProto(node, 0), kQdqOpset));
  }
  const Shape& shape = *found->second;
  const onnx::AttributeProto* attribute = raising.Find("axis");
  std::int64_t axis = attribute == nullptr ? 1 : attribute->i();
  axis += axis < 0 ? shape.rank() : 0;
  bool same = axis < shape.rank();
  for (std::int64_t i = axis + 1; i < shape.rank(); ++i) {
    same = same && shape[static_cast<int>(i)] == 1;
  }
  if (same) {
    SetInt(node, "axis", axis);
    return;
  }
  const std::string x = node.input(0);
  const std::string y = node.output(0);
  const std::string matrix = raising.parts.FreeName(y + "_matrix");
  const std::string result = raising.parts.FreeName(y + "_of_matrix");
  const std::string dims = raising.parts.FreeName(y + "_shape");
  raising.before.push_back(
      MakeNode("Flatten", raising.parts.FreeName(y + "_Flatten"), {x}, matrix));
  SetInt(raising.before.back(), "axis", axis);
  SetInt(node, "axis", 1);
  node.set_input(0, matrix);
  node.set_output(0, result);
  raising.behind.push_back(MakeNode("Shape", raising.parts.FreeName(y + "_Shape"), {x}, dims));
  raising.behind.push_back(
      MakeNode("Reshape", raising.parts.FreeName(y + "_Reshape"), {result, dims}, y));
}

struct RaiseRow {
  std::string_view type;
  std::int64_t since;  // the first opset with the form of opset 13
  void (*raise)(const Raising&);
};

constexpr RaiseRow kRaised[] = {
    {"BatchNormalization", 9, RaiseBatchNormalization},
    {"Clip", 11, RaiseClip},
    {"Dropout", 12, RaiseDropout},
    {"Hardmax", 13, RaiseSoftmax},
    {"LogSoftmax", 13, RaiseSoftmax},
    {"Pad", 11, RaisePad},
    {"ReduceSum", 13, AxesToInput},
    {"Resize", 11, RaiseResize},
    {"Resize", 13, RaiseCoordinates},
    {"Scatter", 13, RaiseScatter},
    {"Slice", 10, RaiseSlice},
    {"Softmax", 13, RaiseSoftmax},
    {"Split", 13, SplitToInput},
    {"Squeeze", 13, AxesToInput},
    {"TopK", 10, RaiseTopK},
    {"Unsqueeze", 13, AxesToInput},
    {"Upsample", 13, RaiseResize},
};

// A node of opset 7 to 12 means the same in opset 13 (onnx/onnx docs/Changelog.md).
constexpr std::string_view kUnchanged[] = {"Abs",
                                           "Acos",
                                           "Acosh",
                                           "Add",
                                           "And",
                                           "ArgMax",
                                           "ArgMin",
                                           "Asin",
                                           "Asinh",
                                           "Atan",
                                           "Atanh",
                                           "AveragePool",
                                           "BitShift",
                                           "Cast",
                                           "Ceil",
                                           "Celu",
                                           "Compress",
                                           "Concat",
                                           "Constant",
                                           "ConstantOfShape",
                                           "Conv",
                                           "ConvInteger",
                                           "ConvTranspose",
                                           "Cos",
                                           "Cosh",
                                           "CumSum",
                                           "DepthToSpace",
                                           "DequantizeLinear",
                                           "Det",
                                           "Div",
                                           "DynamicQuantizeLinear",
                                           "Einsum",
                                           "Elu",
                                           "Equal",
                                           "Erf",
                                           "Exp",
                                           "Expand",
                                           "EyeLike",
                                           "Flatten",
                                           "Floor",
                                           "GRU",
                                           "Gather",
                                           "GatherElements",
                                           "GatherND",
                                           "Gemm",
                                           "GlobalAveragePool",
                                           "GlobalLpPool",
                                           "GlobalMaxPool",
                                           "Greater",
                                           "GreaterOrEqual",
                                           "HardSigmoid",
                                           "Identity",
                                           "InstanceNormalization",
                                           "IsInf",
                                           "IsNaN",
                                           "LRN",
                                           "LSTM",
                                           "LeakyRelu",
                                           "Less",
                                           "LessOrEqual",
                                           "Log",
                                           "LpNormalization",
                                           "LpPool",
                                           "MatMul",
                                           "MatMulInteger",
                                           "Max",
                                           "MaxPool",
                                           "MaxRoiPool",
                                           "MaxUnpool",
                                           "Mean",
                                           "MeanVarianceNormalization",
                                           "Min",
                                           "Mod",
                                           "Mul",
                                           "Neg",
                                           "NonMaxSuppression",
                                           "NonZero",
                                           "Not",
                                           "OneHot",
                                           "Or",
                                           "PRelu",
                                           "Pow",
                                           "QLinearConv",
                                           "QLinearMatMul",
                                           "QuantizeLinear",
                                           "RNN",
                                           "Range",
                                           "Reciprocal",
                                           "ReduceL1",
                                           "ReduceL2",
                                           "ReduceLogSum",
                                           "ReduceLogSumExp",
                                           "ReduceMax",
                                           "ReduceMean",
                                           "ReduceMin",
                                           "ReduceProd",
                                           "ReduceSumSquare",
                                           "Relu",
                                           "Reshape",
                                           "ReverseSequence",
                                           "RoiAlign",
                                           "Round",
                                           "ScatterElements",
                                           "ScatterND",
                                           "Selu",
                                           "Shape",
                                           "Shrink",
                                           "Sigmoid",
                                           "Sign",
                                           "Sin",
                                           "Sinh",
                                           "Size",
                                           "Softplus",
                                           "Softsign",
                                           "SpaceToDepth",
                                           "Sqrt",
                                           "Sub",
                                           "Sum",
                                           "Tan",
                                           "Tanh",
                                           "ThresholdedRelu",
                                           "Tile",
                                           "Transpose",
                                           "Unique",
                                           "Where",
                                           "Xor"};

[[noreturn]] void Refuse(const onnx::NodeProto& node, int index, std::int64_t opset) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{} of opset {}: halftone has no form of it for opset {}, which scales "
                          "per channel need; convert the model to opset {} first",
                          DescribeProto(node, index), opset, kQdqOpset, kQdqOpset));
}

void RaiseNode(const Raising& raising, int index, std::int64_t opset) {
  const onnx::NodeProto& node = raising.node;
  if (!IsDefaultDomain(node.domain())) {
    return;
  }
  bool known = false;
  for (const RaiseRow& row : kRaised) {
    known = known || row.type == node.op_type();
    if (row.type == node.op_type() && opset < row.since) {
      row.raise(raising);
      return;
    }
  }
  if (!known && std::ranges::count(kUnchanged, node.op_type()) == 0) {
    Refuse(node, index, opset);
  }
}

}  // namespace

void RaiseOpset(onnx::ModelProto& model, const Graph& network) {
  const std::int64_t opset = OpsetOf(model);
  if (opset >= kQdqOpset) {
    return;
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  if (opset < kOldestRaised) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the model is of opset {}, scales per channel need opset {}; expected "
                            "at least opset {}: convert the model first",
                            opset, kQdqOpset, kOldestRaised));
  }
  std::map<std::string, const Shape*> shapes;
  for (const Value& value : network.values) {
    shapes.emplace(value.name, &value.type.shape);
  }
  ModelParts parts(graph);
  onnx::GraphProto raised;
  for (int i = 0; i < graph.node_size(); ++i) {
    onnx::NodeProto node = graph.node(i);
    std::vector<onnx::NodeProto> before;
    std::vector<onnx::NodeProto> behind;
    RaiseNode({node, parts, shapes, before, behind}, i, opset);
    for (onnx::NodeProto& added : before) {
      *raised.add_node() = std::move(added);
    }
    *raised.add_node() = std::move(node);
    for (onnx::NodeProto& added : behind) {
      *raised.add_node() = std::move(added);
    }
  }
  graph.mutable_node()->Swap(raised.mutable_node());
  for (auto& import : *model.mutable_opset_import()) {
    if (IsDefaultDomain(import.domain())) {
      import.set_version(kQdqOpset);
    }
  }
  model.set_ir_version(std::max<std::int64_t>(model.ir_version(), kIrVersion));
}

}  // namespace halftone
