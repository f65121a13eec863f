#include "src/onnx/upgrade_training.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace halftone {
namespace {

double DropoutRatio(const FileNode& node, GraphBuilder& builder) {
  constexpr double kDefault = 0.5;
  const ValueId ratio = InputOr(node, 1);
  return ratio == kNoValue ? kDefault : DoublesOf(builder.ConstantOf(ratio, "input 'ratio'")).at(0);
}

// Mean and variance of each channel over the batch, as training computes them, in place of the
// running ones.
void UseBatchStatistics(FileNode& node, GraphBuilder& builder) {
  const int rank = InputType(node, builder).shape.rank();
  if (rank < 2) {
    ThrowUnsupported(
        "attribute 'training_mode' is set, and the input has no axis of channels behind that of "
        "the batch");
  }
  std::vector<std::int64_t> axes = {0};
  for (std::int64_t axis = 2; axis < rank; ++axis) {
    axes.push_back(axis);
  }
  const ValueId list = builder.AddHelperConstant(
      Tensor::From<std::int64_t>({std::ssize(axes)}, axes), node.name + "/axes");
  int number = 0;
  const auto add = [&](OpKind op, std::vector<ValueId> inputs) {
    Node helper = HelperNode(node, builder, op, ++number);
    helper.inputs = std::move(inputs);
    return helper;
  };
  const auto mean = [&](ValueId x, bool keeps_axes) {
    Node helper = add(OpKind::kReduceMean, {x, list});
    helper.attributes.Set("keepdims", std::int64_t{keeps_axes});
    return builder.AddHelperNode(std::move(helper));
  };
  const ValueId x = node.inputs.at(0);
  const ValueId wide = mean(x, true);
  const ValueId centred = builder.AddHelperNode(add(OpKind::kSub, {x, wide}));
  const ValueId squares = builder.AddHelperNode(add(OpKind::kMul, {centred, centred}));
  const ValueId variance = mean(squares, false);
  SetInput(node, 3, builder.AddHelperNode(add(OpKind::kSqueeze, {wide, list})));
  SetInput(node, 4, variance);
}

}  // namespace

void UpgradeDropout(FileNode& node, GraphBuilder& builder) {
  if (node.output_count > 1) {
    const TensorType& type = InputType(node, builder);
    constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
    if (type.shape.ElementCount() > kMostElements) {
      ThrowUnsupported(
          fmt::format("the mask of {} is used: masks of more than {} elements are not "
                      "supported",
                      type.ToString(), kMostElements));
    }
    Tensor mask(node.opset < 10 ? type.dtype : DType::kBool, type.shape);
    for (std::int64_t i = 0; i < mask.ElementCount(); ++i) {
      StoreDouble(mask.dtype(), mask.mutable_data(), i, 1);
    }
    node.constant_outputs = {std::move(mask)};
    node.output_count = 1;
  }
  const ValueId training = InputOr(node, 2);
  const bool trains =
      training != kNoValue && IntegersOf(builder.ConstantOf(training, "input 'training_mode'")) !=
                                  std::vector{std::int64_t{0}};
  if (const double ratio = trains ? DropoutRatio(node, builder) : 0; ratio != 0) {
    ThrowUnsupported(
        fmt::format("input 'training_mode' is true and 'ratio' is {}, so that each run drops other "
                    "elements; export the model for inference, or set either to 0",
                    ratio));
  }
  node.type = "Identity";
  node.inputs.resize(1, kNoValue);
  node.attributes = {};
}

void UpgradeBatchNormalization(FileNode& node, GraphBuilder& builder) {
  if (node.output_count > 1) {
    ThrowUnsupported(
        "the outputs behind the first (training statistics) are used, but not supported; export "
        "the model for inference, or take them out of it");
  }
  if (node.attributes.Int("spatial", 1) != 1) {
    ThrowUnsupported("attribute 'spatial' is 0: statistics per element are not supported");
  }
  if (node.attributes.Int("training_mode", 0) != 0) {
    UseBatchStatistics(node, builder);
  }
  for (const std::string_view name : {"spatial", "training_mode", "momentum", "is_test"}) {
    node.attributes.Erase(name);  // momentum is for training only; is_test: no training outputs
  }
}

}  // namespace halftone
