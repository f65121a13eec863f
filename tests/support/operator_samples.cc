#include "tests/support/operator_samples.h"

#include <algorithm>
#include <map>
#include <string>

namespace halftone::testing {
namespace {

const Shape kImage{2, 4, 6, 6};

// Operators that map [0, 4] to about [0, 4], so that later calls may read their results.
constexpr OpKind kTame[] = {
    OpKind::kConv,    OpKind::kMatMul,   OpKind::kAbs,         OpKind::kClip,
    OpKind::kGelu,    OpKind::kIdentity, OpKind::kHardSigmoid, OpKind::kRelu,
    OpKind::kSigmoid, OpKind::kTanh,     OpKind::kSqrt,        OpKind::kMax,
    OpKind::kMin,     OpKind::kWhere,    OpKind::kMaxPool,     OpKind::kAveragePool,
    OpKind::kSoftmax, OpKind::kExpand,   OpKind::kReshape,     OpKind::kTranspose,
    OpKind::kPRelu,   OpKind::kSoftsign, OpKind::kErf,
};

Attributes With(std::initializer_list<std::pair<const char*, Attribute>> items) {
  Attributes attributes;
  for (const auto& [name, value] : items) {
    attributes.Set(name, value);
  }
  return attributes;
}

using Ints = std::vector<std::int64_t>;

// Attributes of the operators that need some.
Attributes AttributesOf(OpKind op) {
  static const std::map<OpKind, Attributes> kAttributes = {
      {OpKind::kConv, With({{"pads", Ints{1, 1, 1, 1}}})},
      {OpKind::kMaxPool,
       With({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}})},
      {OpKind::kAveragePool,
       With({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}})},
      {OpKind::kQLinearAveragePool,
       With({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}})},
      {OpKind::kConvTranspose, With({{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}})},
      {OpKind::kLpPool, With({{"kernel_shape", Ints{2, 2}}})},
      {OpKind::kEinsum, With({{"equation", std::string("nchw,ncvw->nchv")}})},
      {OpKind::kGroupNormalization, With({{"num_groups", std::int64_t{2}}})},
      {OpKind::kArgMin, With({{"axis", std::int64_t{1}}})},
      {OpKind::kGatherElements, With({{"axis", std::int64_t{3}}})},
      {OpKind::kScatterElements,
       With({{"axis", std::int64_t{3}}, {"reduction", std::string("max")}})},
      {OpKind::kScatterNd, With({{"reduction", std::string("max")}})},
      {OpKind::kRoiAlign,
       With({{"output_height", std::int64_t{2}}, {"output_width", std::int64_t{3}}})},
      {OpKind::kMaxRoiPool, With({{"pooled_shape", Ints{2, 3}}})},
      {OpKind::kDeformConv, With({{"pads", Ints{1, 1, 1, 1}}})},
      {OpKind::kBitShift, With({{"direction", std::string("LEFT")}})},
      {OpKind::kCompress, With({{"axis", std::int64_t{2}}})},
      {OpKind::kOneHot, With({{"axis", std::int64_t{1}}})},
      {OpKind::kReverseSequence,
       With({{"batch_axis", std::int64_t{0}}, {"time_axis", std::int64_t{1}}})},
      {OpKind::kSpaceToDepth, With({{"blocksize", std::int64_t{2}}})},
      {OpKind::kCol2Im, With({{"strides", Ints{1, 1}}})},
      {OpKind::kCast, With({{"to", std::int64_t{1}}})},
      {OpKind::kMod, With({{"fmod", std::int64_t{1}}})},
      {OpKind::kLrn, With({{"size", std::int64_t{3}}})},
      {OpKind::kArgMax, With({{"axis", std::int64_t{-1}}})},
      {OpKind::kConcat, With({{"axis", std::int64_t{1}}})},
      {OpKind::kSplit, With({{"axis", std::int64_t{1}}})},
      {OpKind::kGather, With({{"axis", std::int64_t{3}}})},
      {OpKind::kDepthToSpace, With({{"blocksize", std::int64_t{2}}})},
      {OpKind::kTranspose, With({{"perm", Ints{0, 1, 3, 2}}})},
      {OpKind::kResize, With({{"mode", std::string("linear")}})},
      {OpKind::kQLinearResize, With({{"mode", std::string("linear")}})},
      {OpKind::kConstantOfShape,
       With({{"value", Tensor::From<float>({1}, std::vector<float>{1.25F})}})},
  };
  const auto found = kAttributes.find(op);
  return found == kAttributes.end() ? Attributes() : found->second;
}

}  // namespace

SampleGraph::SampleGraph(std::uint64_t seed) : rng_(seed) {
  images_ = {builder_.Input("x", kImage), builder_.Input("y", kImage)};
  flags_ = {builder_.Input("flags", kImage, DType::kBool)};
  batch_ = builder_.Input("batch", {1, 4, 6, 6});
  matrix_ = builder_.Input("matrix", {5, 6});
}

ValueId SampleGraph::Image() {
  return images_[rng_.Below(images_.size())];
}

ValueId SampleGraph::Floats(Shape shape, double low, double high) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng_.Uniform(low, high));
  }
  return builder_.Constant("constant" + std::to_string(count_++), tensor);
}

ValueId SampleGraph::Scalar(float value) {
  return builder_.Constant("constant" + std::to_string(count_++),
                           Tensor::From<float>({}, std::vector<float>{value}));
}

ValueId SampleGraph::Bytes(Shape shape) {
  Tensor tensor(DType::kUInt8, std::move(shape));
  for (std::uint8_t& value : tensor.mutable_values<std::uint8_t>()) {
    value = static_cast<std::uint8_t>(rng_.Below(256));
  }
  return builder_.Constant("constant" + std::to_string(count_++), tensor);
}

ValueId SampleGraph::Weights(Shape shape) {
  Tensor tensor(DType::kInt8, std::move(shape));
  for (std::int8_t& value : tensor.mutable_values<std::int8_t>()) {
    value = static_cast<std::int8_t>(static_cast<int>(rng_.Below(255)) - 127);
  }
  return builder_.Constant("constant" + std::to_string(count_++), tensor);
}

ValueId SampleGraph::Byte(std::uint8_t value) {
  return builder_.Constant("constant" + std::to_string(count_++),
                           Tensor::From<std::uint8_t>({}, std::vector<std::uint8_t>{value}));
}

ValueId SampleGraph::Integers(const std::vector<std::int64_t>& values) {
  return builder_.Integers("constant" + std::to_string(count_++), values);
}

void SampleGraph::Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes, int outputs,
                      const Fusion& fusion) {
  const std::string name = std::string(InfoOf(op).name) + std::to_string(count_++);
  const ValueId first =
      builder_.Add(op, name, std::move(inputs), std::move(attributes), outputs, fusion);
  for (int i = 0; i < outputs; ++i) {
    results_.push_back(first + i);
  }
  if (std::find(std::begin(kTame), std::end(kTame), op) != std::end(kTame)) {
    images_.push_back(first);
  }
}

ValueId SampleGraph::Index(Shape shape, std::uint64_t below) {
  Tensor tensor(DType::kInt64, std::move(shape));
  for (std::int64_t& value : tensor.mutable_values<std::int64_t>()) {
    value = static_cast<std::int64_t>(rng_.Below(below));
  }
  return builder_.Constant("constant" + std::to_string(count_++), tensor);
}

// [steps 3, batch 2, inputs 5] to 4 hidden values, both ways.
void SampleGraph::AddRecurrent(OpKind op) {
  const std::int64_t gates = op == OpKind::kLstm ? 4 : op == OpKind::kGru ? 3 : 1;
  Add(op,
      {Floats({3, 2, 5}, -1, 1), Floats({2, gates * 4, 5}, -0.5, 0.5),
       Floats({2, gates * 4, 4}, -0.5, 0.5), Floats({2, gates * 8}, -0.5, 0.5)},
      With({{"direction", std::string("bidirectional")}}), op == OpKind::kLstm ? 3 : 2);
}

void SampleGraph::AddCall(OpKind op) {
  const std::string_view inputs = InfoOf(op).inputs;
  Attributes attributes = AttributesOf(op);
  switch (op) {
    case OpKind::kConv:  // weights that sum to about 1
      return Add(op, {Image(), Floats({4, 4, 3, 3}, 0, 0.05), Floats({4}, 0, 0.1)}, attributes);
    case OpKind::kGemm:
      return Add(op, {matrix_, Floats({6, 7}, 0, 0.3), Floats({7}, 0, 0.1)});
    case OpKind::kMatMul:
      return Add(op, {Image(), Floats({6, 6}, 0, 0.3)});
    case OpKind::kConvTranspose:
      return Add(op, {Image(), Floats({4, 3, 3, 3}, 0, 0.1), Floats({3}, 0, 0.1)}, attributes);
    case OpKind::kLstm:
    case OpKind::kGru:
    case OpKind::kRnn:
      return AddRecurrent(op);
    case OpKind::kAttention:
      return Add(op, {Image(), Image(), Image(), flags_[0]});
    case OpKind::kRotaryEmbedding:
      return Add(op, {Image(), Floats({2, 6, 3}, -1, 1), Floats({2, 6, 3}, -1, 1)});
    case OpKind::kEinsum:
      return Add(op, {Image(), Image()}, attributes);
    case OpKind::kGroupNormalization:
      return Add(op, {Image(), Floats({4}, 0.5, 1), Floats({4}, 0, 1)}, attributes);
    case OpKind::kTopK:
      return Add(op, {Floats({2, 9}, 0, 4), Integers({3})}, {}, 2);
    case OpKind::kCumSum:
      return Add(op, {Image(), Integers({2})});
    case OpKind::kGatherElements:
      return Add(op, {Image(), Index({2, 4, 6, 2}, 6)}, attributes);
    case OpKind::kGatherNd:
      return Add(op, {Image(), Index({5, 2}, 2)});
    case OpKind::kScatterElements:
      return Add(op, {Image(), Index({2, 4, 6, 2}, 6), Floats({2, 4, 6, 2}, 0, 1)}, attributes);
    case OpKind::kScatterNd:
      return Add(op, {Image(), Index({5, 2}, 2), Floats({5, 6, 6}, 0, 1)}, attributes);
    case OpKind::kTensorScatter:
      return Add(op, {Image(), Floats({2, 4, 2, 6}, 0, 1), Integers({1, 4})});
    case OpKind::kGridSample:
      return Add(op, {Image(), Floats({2, 3, 5, 2}, -1.2, 1.2)});
    case OpKind::kRoiAlign:
      return Add(op, {Image(), Floats({3, 4}, 0, 6), Index({3}, 2)}, attributes);
    case OpKind::kDet:
      return Add(op, {Floats({2, 3, 3}, 0, 1)});
    case OpKind::kUnique:
      return Add(op, {Index({2, 9}, 5)}, {}, 3);
    case OpKind::kBitwiseNot:
      return Add(op, {Bytes(kImage)});
    case OpKind::kBitShift:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
      return Add(op, {Bytes(kImage), Bytes({6})}, attributes);
    case OpKind::kMaxRoiPool:
      return Add(op, {Image(), Floats({3, 5}, 0, 1.9)}, attributes);
    case OpKind::kDeformConv:
      return Add(op, {Image(), Floats({4, 4, 3, 3}, 0, 0.05), Floats({2, 18, 6, 6}, -1, 1)},
                 attributes);
    case OpKind::kNonMaxSuppression:
      return Add(op, {Floats({1, 6, 4}, 0, 1), Floats({1, 2, 6}, 0, 1), Integers({3})});
    case OpKind::kCompress:
      return Add(
          op,
          {Image(), builder_.Constant(
                        "condition" + std::to_string(count_++),
                        Convert(Tensor::From<std::int64_t>({4}, Ints{1, 0, 1, 1}), DType::kBool))},
          attributes);
    case OpKind::kNonZero:
      return Add(op, {Floats({3, 4}, 0, 1)});
    case OpKind::kOneHot:
      return Add(op, {Index({2, 3}, 5), Integers({5}), Floats({2}, 0, 1)}, attributes);
    case OpKind::kCenterCropPad:
      return Add(op, {Image(), Integers({2, 3, 9, 4})});
    case OpKind::kCol2Im:
      return Add(op, {Floats({2, 8, 9}, 0, 1), Integers({4, 4}), Integers({2, 2})}, attributes);
    case OpKind::kEyeLike:
      return Add(op, {matrix_});
    case OpKind::kReverseSequence:
      return Add(op, {Image(), Integers({3, 4})}, attributes);
    case OpKind::kMeanVarianceNormalization:
      return Add(op, {Image()});
    case OpKind::kClip:
      return Add(op, {Image(), Scalar(0.4F), Scalar(1.3F)});
    case OpKind::kPRelu:
      return Add(op, {Image(), Floats({4, 1, 1}, 0.1, 0.9)});
    case OpKind::kBatchNormalization:
      return Add(op, {Image(), Floats({4}, 0.5, 1), Floats({4}, 0, 1), Floats({4}, 0, 1),
                      Floats({4}, 0.5, 1)});
    case OpKind::kInstanceNormalization:
      return Add(op, {Image(), Floats({4}, 0.5, 1), Floats({4}, 0, 1)});
    case OpKind::kLayerNormalization:
      return Add(op, {Image(), Floats({6}, 0.5, 1), Floats({6}, 0, 1)});
    case OpKind::kRmsNormalization:
      return Add(op, {Image(), Floats({6}, 0.5, 1)});
    case OpKind::kConcat:
      return Add(op, {Image(), Image(), Floats(kImage, 0, 1)}, attributes);
    case OpKind::kConstantOfShape:
      return Add(op, {Integers({2, 3})}, attributes);
    case OpKind::kExpand:
    case OpKind::kReshape:
      return Add(op, {Image(), Integers({2, 4, 6, 6})});
    case OpKind::kGather:
      return Add(op, {Image(), Integers({2, 0})}, attributes);
    case OpKind::kPad:
      return Add(op, {Image(), Integers({0, 0, 1, 1, 0, 0, 1, 1}), Scalar(0.7F)});
    case OpKind::kRange:
      return Add(op, {Scalar(0.5F), Scalar(4), Scalar(0.75F)});
    case OpKind::kResize:
      return Add(op,
                 {Image(), kNoValue,
                  builder_.Constant("scales" + std::to_string(count_++),
                                    Tensor::From<float>({4}, std::vector<float>{1, 1, 2, 1.5F}))},
                 attributes);
    case OpKind::kSlice:
      return Add(op, {Image(), Integers({1}), Integers({5}), Integers({2}), Integers({2})});
    case OpKind::kSplit:
      return Add(op, {Image(), Integers({1, 3})}, attributes, 2);
    case OpKind::kSqueeze:
      return Add(op, {batch_, Integers({0})});
    case OpKind::kUnsqueeze:
      return Add(op, {Image(), Integers({1})});
    case OpKind::kSoftmax:
      Add(op, {Image()});
      return Add(op, {Image(), Image(), flags_[rng_.Below(flags_.size())]}, {}, 1,
                 {.softmax = StepSoftmax{.scale = 0.5F}});
    case OpKind::kMatMulInteger:
      return Add(op, {Bytes(kImage), Bytes({6, 7}), Byte(3), Byte(100)});
    case OpKind::kConvInteger:
      return Add(op, {Bytes(kImage), Bytes({4, 4, 3, 3}), Byte(3), Byte(100)},
                 With({{"pads", Ints{1, 1, 1, 1}}}));
    case OpKind::kQLinearMatMul:
      return Add(op, {Bytes(kImage), Scalar(0.02F), Byte(3), Bytes({6, 7}), Floats({7}, 0.01, 0.02),
                      Byte(100), Scalar(0.4F), Byte(128)});
    case OpKind::kQLinearConv:
      return Add(op,
                 {Bytes(kImage), Scalar(0.02F), Byte(3), Bytes({4, 4, 3, 3}),
                  Floats({4}, 0.01, 0.02), Byte(100), Scalar(0.4F), Byte(128)},
                 With({{"pads", Ints{1, 1, 1, 1}}}));
    case OpKind::kQLinearConvTranspose:
      return Add(op,
                 {Bytes(kImage), Scalar(0.02F), Byte(3), Bytes({4, 4, 3, 3}),
                  Floats({4}, 0.01, 0.02), Byte(100), Scalar(0.4F), Byte(128)},
                 With({{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}));
    case OpKind::kQLinearAdd:
    case OpKind::kQLinearMul:
      return Add(op, {Bytes(kImage), Scalar(0.02F), Byte(3), Bytes({4, 1, 1}), Scalar(0.03F),
                      Byte(100), Scalar(0.04F), Byte(128)});
    case OpKind::kQLinearConcat:
      return Add(op,
                 {Scalar(0.02F), Byte(7), Bytes(kImage), Scalar(0.02F), Byte(7), Bytes(kImage),
                  Scalar(0.03F), Byte(128)},
                 With({{"axis", std::int64_t{1}}}));
    case OpKind::kQLinearAveragePool:
    case OpKind::kQLinearGlobalAveragePool:
      return Add(op, {Bytes(kImage), Scalar(0.02F), Byte(3), Scalar(0.03F), Byte(128)}, attributes);
    case OpKind::kQLinearResize:
      return Add(op,
                 {Bytes(kImage), Scalar(0.02F), Byte(3), Scalar(0.02F), Byte(3), kNoValue,
                  builder_.Constant("scales" + std::to_string(count_++),
                                    Tensor::From<float>({4}, std::vector<float>{1, 1, 2, 1.5F}))},
                 attributes);
    case OpKind::kQLinearLookup:
      return Add(op, {Bytes(kImage), Bytes({256})});
    case OpKind::kDynamicMatMul:
      return Add(op, {Image(), Weights({6, 7}), Floats({7}, 0.01, 0.02), Floats({7}, -1, 1)});
    case OpKind::kQuantizeLinear:
      Add(op, {Image(), Scalar(0.02F)});
      return Add(op, {Image(), Floats({4}, 0.01, 0.02), Bytes({4})});
    case OpKind::kDequantizeLinear:
      Add(op, {Bytes(kImage), Scalar(0.02F), Byte(7)});
      return Add(op, {Bytes(kImage), Floats({4}, 0.01, 0.02), Bytes({4})});
    case OpKind::kDynamicQuantizeLinear:
      return Add(op, {Image()}, {}, 3);
    case OpKind::kTile:
      return Add(op, {Image(), Integers({1, 2, 1, 1})});
    default:
      break;
  }
  std::vector<ValueId> operands;
  for (const SignatureItem& item : ParseSignature(inputs)) {
    operands.push_back(item.letter == 'B'   ? flags_[rng_.Below(flags_.size())]
                       : item.letter == 'L' ? Integers({3})
                                            : Image());
  }
  Add(op, std::move(operands), std::move(attributes));
}

Graph SampleGraph::Finish() {
  return builder_.Finish(results_);
}

}  // namespace halftone::testing
