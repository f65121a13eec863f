#include "src/onnx/upgrade.h"

#include <fmt/format.h>

#include <limits>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/contrib.h"
#include "src/onnx/upgrade_old_opsets.h"
#include "src/onnx/upgrade_pool.h"
#include "src/onnx/upgrade_positions.h"
#include "src/onnx/upgrade_quantized.h"
#include "src/onnx/upgrade_signal.h"
#include "src/onnx/upgrade_training.h"

namespace halftone {
namespace {

constexpr std::int64_t kEveryOpset = std::numeric_limits<std::int64_t>::max();

// Until opset 12 Softmax viewed its input as a matrix cut at `axis`; for the last axis that is the
// same as the newer form.
void UpgradeSoftmax(FileNode& node, GraphBuilder& builder) {
  const std::int64_t axis = node.attributes.Int("axis", 1);
  const int rank = InputType(node, builder).shape.rank();
  node.attributes.Set("axis", axis);
  if (axis != -1 && axis != rank - 1) {
    node.attributes.Set("coerce_2d", std::int64_t{1});
  }
}

void AxesToInput(FileNode& node, GraphBuilder& builder) {
  IntsToInput(node, builder, "axes", 1);
}

void UpgradeClip(FileNode& node, GraphBuilder& builder) {
  FloatToInput(node, builder, "min", 1);
  FloatToInput(node, builder, "max", 2);
}

void UpgradeSlice(FileNode& node, GraphBuilder& builder) {
  IntsToInput(node, builder, "starts", 1);
  IntsToInput(node, builder, "ends", 2);
  IntsToInput(node, builder, "axes", 3);
}

void SplitToInput(FileNode& node, GraphBuilder& builder) {
  IntsToInput(node, builder, "split", 1);
}

void CheckSplitOutputs(FileNode& node, GraphBuilder& /*builder*/) {
  const auto outputs = static_cast<std::int64_t>(node.output_count);
  if (node.attributes.Int("num_outputs", outputs) != outputs) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'num_outputs' is {}, the node has {}",
                                               node.attributes.Int("num_outputs", 0), outputs));
  }
  node.attributes.Erase("num_outputs");
}

void UpgradePad(FileNode& node, GraphBuilder& builder) {
  IntsToInput(node, builder, "pads", 1);
  FloatToInput(node, builder, "value", 2);
}

// Upsample, and Resize of opset 10: coordinates are divided by the scale and rounded down.
void SetOldResizeAttributes(FileNode& node) {
  node.attributes.Set("coordinate_transformation_mode", std::string("asymmetric"));
  if (node.attributes.Text("mode", "nearest") == "nearest") {
    node.attributes.Set("nearest_mode", std::string("floor"));
  }
}

void UpgradeUpsample(FileNode& node, GraphBuilder& builder) {
  node.type = "Resize";
  if (node.attributes.Has("scales")) {  // opset < 9
    const std::vector<float> scales = node.attributes.Floats("scales");
    node.attributes.Erase("scales");
    SetInput(node, 1,
             builder.AddHelperConstant(
                 Tensor::From<float>({static_cast<std::int64_t>(scales.size())}, scales),
                 node.name + "/scales"));
  }
  node.inputs = {InputOr(node, 0), kNoValue, InputOr(node, 1)};
  SetOldResizeAttributes(node);
}

void UpgradeResize10(FileNode& node, GraphBuilder& /*builder*/) {
  node.inputs = {InputOr(node, 0), kNoValue, InputOr(node, 1)};
  SetOldResizeAttributes(node);
}

void DropEmptyResizeInputs(FileNode& node, GraphBuilder& builder) {
  for (const std::size_t index : {1, 2, 3}) {
    DropEmptyInput(node, builder, index);
  }
  // The region of interest means something to one mode only.
  const std::string mode = node.attributes.Text("coordinate_transformation_mode", "half_pixel");
  if (mode != "tf_crop_and_resize" && node.inputs.size() > 1) {
    node.inputs[1] = kNoValue;
  }
}

void DropStashType(FileNode& node, GraphBuilder& /*builder*/) {
  if (node.attributes.Int("stash_type", 1) != 1) {
    ThrowUnsupported(
        "attribute 'stash_type': statistics in other types than float32 are not supported");
  }
  node.attributes.Erase("stash_type");
}

// The attribute says how Indices count.
void UpgradeMaxPool(FileNode& node, GraphBuilder& /*builder*/) {
  if (node.output_count == 1) {
    node.attributes.Erase("storage_order");
  }
}

void UpgradeTopK(FileNode& node, GraphBuilder& builder) {
  if (node.attributes.Has("k")) {
    node.attributes.Set("k", std::vector<std::int64_t>{node.attributes.Int("k", 0)});
  }
  IntsToInput(node, builder, "k", 1);
}

void UpgradeScatter(FileNode& node, GraphBuilder& /*builder*/) {
  node.type = "ScatterElements";
}

// The names of the modes until opset 19 are those of images.
void UpgradeGridSample(FileNode& node, GraphBuilder& /*builder*/) {
  const std::string mode = node.attributes.Text("mode", "bilinear");
  if (mode == "bilinear" || mode == "bicubic") {
    node.attributes.Set("mode", mode.substr(2));
  }
}

void UpgradeRoiAlign(FileNode& node, GraphBuilder& /*builder*/) {
  if (!node.attributes.Has("coordinate_transformation_mode")) {
    node.attributes.Set("coordinate_transformation_mode", std::string("output_half_pixel"));
  }
}

// The list of names becomes one text, the names separated by blanks.
void JoinActivations(FileNode& node, GraphBuilder& /*builder*/) {
  const auto& attributes = node.attributes.values();
  const auto found = attributes.find("activations");
  if (found == attributes.end()) {
    return;
  }
  const auto* names = std::get_if<std::vector<std::string>>(&found->second);
  if (names == nullptr) {
    throw Error(ErrorKind::kModel, "attribute 'activations': expected a list of texts");
  }
  node.attributes.Set("activations", Join(*names, " "));
}

// Sum, Mean, Max and Min of n operands become chains of binary nodes.
void ChainBinary(FileNode& node, GraphBuilder& builder, OpKind op) {
  if (node.inputs.empty()) {
    throw Error(ErrorKind::kModel, "expected 1 or more inputs, got 0");
  }
  if (node.inputs.size() == 1) {
    node.type = "Identity";
    return;
  }
  ValueId left = node.inputs[0];
  for (std::size_t i = 1; i + 1 < node.inputs.size(); ++i) {
    Node helper = HelperNode(node, builder, op, static_cast<int>(i));
    helper.inputs = {left, node.inputs[i]};
    left = builder.AddHelperNode(std::move(helper));
  }
  node.inputs = {left, node.inputs.back()};
  node.type = InfoOf(op).name;
}

void UpgradeSum(FileNode& node, GraphBuilder& builder) {
  ChainBinary(node, builder, OpKind::kAdd);
}

void UpgradeMax(FileNode& node, GraphBuilder& builder) {
  ChainBinary(node, builder, OpKind::kMax);
}

void UpgradeMin(FileNode& node, GraphBuilder& builder) {
  ChainBinary(node, builder, OpKind::kMin);
}

void UpgradeMean(FileNode& node, GraphBuilder& builder) {
  const std::size_t count = node.inputs.size();
  const DType dtype = InputType(node, builder).dtype;
  if (count < 2) {
    ChainBinary(node, builder, OpKind::kAdd);
    return;
  }
  Node sum = HelperNode(node, builder, OpKind::kAdd, static_cast<int>(count) - 1);
  FileNode chain = node;
  ChainBinary(chain, builder, OpKind::kAdd);
  sum.inputs = chain.inputs;
  Tensor divisor(dtype, Shape{});
  StoreDouble(dtype, divisor.mutable_data(), 0, static_cast<double>(count));
  const ValueId total = builder.AddHelperNode(std::move(sum));
  // A division rounds the mean once; multiplying by 1/n would round twice.
  node.inputs = {total, builder.AddHelperConstant(std::move(divisor), node.name + "/count")};
  node.type = "Div";
}

void UpgradeConstantOfShape(FileNode& node, GraphBuilder& /*builder*/) {
  if (!node.attributes.Has("value")) {
    node.attributes.Set("value", Tensor(DType::kFloat32, Shape{1}));
  }
}

// Saturation and the rounding mode concern 8-bit floating types only, which halftone does not have.
void DropSaturate(FileNode& node, GraphBuilder& /*builder*/) {
  node.attributes.Erase("saturate");
  node.attributes.Erase("round_mode");
}

void UpgradeCastLike(FileNode& node, GraphBuilder& builder) {
  if (InputOr(node, 1) == kNoValue) {
    throw Error(ErrorKind::kModel, fmt::format("expected 2 inputs, got {}", node.inputs.size()));
  }
  const DType dtype = builder.graph.value(node.inputs[1]).type.dtype;
  node.attributes = {};
  node.attributes.Set("to", std::int64_t{RowOf(dtype).onnx_type});
  node.inputs.resize(1);
  node.type = "Cast";
}

// Softmax has one input in a model; passes add its other operands (kernels/softmax/softmax.h).
void RequireOneInput(FileNode& node, GraphBuilder& /*builder*/) {
  if (node.inputs.size() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected 1 input, got {}", node.inputs.size()));
  }
}

struct UpgradeRow {
  std::string_view type;
  std::int64_t below_opset;  // applies to nodes of older opsets
  void (*upgrade)(FileNode&, GraphBuilder&);
};

// docs/reference/models.md has those that a user may notice.
constexpr UpgradeRow kUpgrades[] = {
    {"Softmax", 13, UpgradeSoftmax},
    {"LogSoftmax", 13, UpgradeSoftmax},
    {"Softmax", kEveryOpset, RequireOneInput},
    {"Hardmax", 13, UpgradeSoftmax},
    {"Squeeze", 13, AxesToInput},
    {"Unsqueeze", 13, AxesToInput},
    {"ReduceSum", 13, AxesToInput},
    {"ReduceMean", 18, AxesToInput},
    {"ReduceMax", 18, AxesToInput},
    {"ReduceMin", 18, AxesToInput},
    {"ReduceProd", 18, AxesToInput},
    {"ReduceL1", 18, AxesToInput},
    {"ReduceL2", 18, AxesToInput},
    {"ReduceSumSquare", 18, AxesToInput},
    {"ReduceLogSum", 18, AxesToInput},
    {"ReduceLogSumExp", 18, AxesToInput},
    {"Clip", 11, UpgradeClip},
    {"Slice", 10, UpgradeSlice},
    {"Split", 13, SplitToInput},
    {"Split", kEveryOpset, CheckSplitOutputs},
    {"Pad", 11, UpgradePad},
    {"Upsample", kEveryOpset, UpgradeUpsample},
    {"Resize", 11, UpgradeResize10},
    {"Resize", kEveryOpset, DropEmptyResizeInputs},
    {"Dropout", kEveryOpset, UpgradeDropout},
    {"BatchNormalization", kEveryOpset, UpgradeBatchNormalization},
    {"LayerNormalization", kEveryOpset, DropStashType},
    {"GroupNormalization", kEveryOpset, DropStashType},
    {"RMSNormalization", kEveryOpset, DropStashType},
    {"SimplifiedLayerNormalization", kEveryOpset, DropStashType},
    {"SimplifiedLayerNormalization", kEveryOpset, ExpandSimplifiedLayerNormalization},
    {"MaxPool", kEveryOpset, UpgradeMaxPool},
    {"GlobalLpPool", kEveryOpset, UpgradeGlobalLpPool},
    {"MaxUnpool", kEveryOpset, UpgradeMaxUnpool},
    {"TopK", 10, UpgradeTopK},
    {"Unique", kEveryOpset, UpgradeUnique},
    {"AffineGrid", kEveryOpset, UpgradeAffineGrid},
    {"DFT", kEveryOpset, UpgradeDft},
    {"STFT", kEveryOpset, UpgradeStft},
    {"HannWindow", kEveryOpset, UpgradeWindow},
    {"HammingWindow", kEveryOpset, UpgradeWindow},
    {"BlackmanWindow", kEveryOpset, UpgradeWindow},
    {"Scatter", kEveryOpset, UpgradeScatter},
    {"GridSample", 20, UpgradeGridSample},
    {"RoiAlign", 16, UpgradeRoiAlign},
    {"LSTM", kEveryOpset, JoinActivations},
    {"GRU", kEveryOpset, JoinActivations},
    {"RNN", kEveryOpset, JoinActivations},
    {"Sum", kEveryOpset, UpgradeSum},
    {"Mean", kEveryOpset, UpgradeMean},
    {"Max", kEveryOpset, UpgradeMax},
    {"Min", kEveryOpset, UpgradeMin},
    {"ConstantOfShape", kEveryOpset, UpgradeConstantOfShape},
    {"Cast", kEveryOpset, DropSaturate},
    {"CastLike", kEveryOpset, UpgradeCastLike},
    {"QLinearConv", kEveryOpset, RequireLinearOperands},
    {"QLinearMatMul", kEveryOpset, RequireLinearOperands},
    {"QuantizeLinear", kEveryOpset, UpgradeQuantizeLinear},
    {"DequantizeLinear", kEveryOpset, UpgradeDequantizeLinear},
};

}  // namespace

bool IsKnownOperator(std::string_view type) {
  for (const UpgradeRow& row : kUpgrades) {
    if (row.type == type) {
      return true;
    }
  }
  return FindOp(type) != nullptr;
}

void Upgrade(FileNode& node, GraphBuilder& builder) {
  UpgradeOldOpset(node, builder);
  const std::string type = node.type;
  for (const UpgradeRow& row : kUpgrades) {
    if (row.type == type && node.opset < row.below_opset) {
      row.upgrade(node, builder);
    }
  }
}

}  // namespace halftone
