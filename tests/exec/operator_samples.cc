#include "tests/exec/operator_samples.h"

#include <algorithm>
#include <map>
#include <string>

namespace halftone::testing {
namespace {

const Shape kImage{2, 4, 6, 6};

// Operators that map [0, 4] to [0, 4], or nearly so: their results may be read again.
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
  static const std::map<OpKind, Attributes> attributes = {
      {OpKind::kConv, With({{"pads", Ints{1, 1, 1, 1}}})},
      {OpKind::kMaxPool,
       With({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}})},
      {OpKind::kAveragePool,
       With({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}})},
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
      {OpKind::kConstantOfShape,
       With({{"value", Tensor::From<float>({1}, std::vector<float>{1.25F})}})},
  };
  const auto found = attributes.find(op);
  return found == attributes.end() ? Attributes() : found->second;
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

ValueId SampleGraph::Byte(std::uint8_t value) {
  return builder_.Constant("constant" + std::to_string(count_++),
                           Tensor::From<std::uint8_t>({}, std::vector<std::uint8_t>{value}));
}

ValueId SampleGraph::Integers(const std::vector<std::int64_t>& values) {
  return builder_.Integers("constant" + std::to_string(count_++), values);
}

void SampleGraph::Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes, int outputs) {
  const std::string name = std::string(InfoOf(op).name) + std::to_string(count_++);
  const ValueId first = builder_.Add(op, name, std::move(inputs), std::move(attributes), outputs);
  for (int i = 0; i < outputs; ++i) {
    results_.push_back(first + i);
  }
  if (std::find(std::begin(kTame), std::end(kTame), op) != std::end(kTame)) {
    images_.push_back(first);
  }
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
      return Add(op, {Image(), Image(), flags_[rng_.Below(flags_.size())]},
                 With({{"scale", 0.5F}}));
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
