// Attention and its embeddings in com.microsoft.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/onnx/contrib.h"
#include "src/onnx/node_parts.h"

namespace halftone {
namespace {

// Default summand of ONNX Runtime for scores of masked positions.
constexpr float kMaskedScore = -10'000;

Attributes With(std::string name, Attribute value) {
  Attributes attributes;
  attributes.Set(std::move(name), std::move(value));
  return attributes;
}

// A mask of 1 and 0 (int32) as what is added to scores [batch, heads, length, total]: by positions
// [batch, total] or [batch, length, total], or by the number of positions that count [batch].
ValueId ScoresOfMask(NodeParts& parts, ValueId mask, const TensorType& keys, float masked) {
  const TensorType type = parts.TypeOf(mask);
  const Shape& shape = type.shape;
  const std::int64_t total = keys.shape[1];
  const DType dtype = keys.dtype;
  ValueId kept = kNoValue;  // bool
  if (shape.rank() == 1 && shape[0] == keys.shape[0]) {
    RequireMakeable(total);
    Tensor positions(type.dtype, {1, 1, 1, total});
    for (std::int64_t i = 0; i < total; ++i) {
      StoreDouble(type.dtype, positions.mutable_data(), i, static_cast<double>(i));
    }
    const ValueId ends = parts.Add(OpKind::kReshape, {mask, parts.Integers({shape[0], 1, 1, 1})});
    kept = parts.Add(OpKind::kLess, {parts.Constant(std::move(positions)), ends});
  } else if (shape.rank() == 2 || shape.rank() == 3) {
    const std::int64_t rows = shape.rank() == 3 ? shape[1] : 1;
    kept = parts.CastTo(
        parts.Add(OpKind::kReshape,
                  {mask, parts.Integers({shape[0], 1, rows, shape[shape.rank() - 1]})}),
        DType::kBool);
  } else {
    ThrowUnsupported(fmt::format(
        "a mask of {} is not supported: expected [batch], [batch, total] or [batch, length, total]",
        type.ToString()));
  }
  return parts.Add(OpKind::kWhere, {kept, parts.Scalar(dtype, 0), parts.Scalar(dtype, masked)});
}

struct Heads {
  std::int64_t count = 0;
  float scale = 0;  // 0: one over the root of the size of a head
  bool causal = false;
  float masked = kMaskedScore;
};

Heads TakeHeads(NodeParts& parts) {
  Heads heads{.count = parts.TakeInt("num_heads", 0),
              .scale = parts.TakeFloat("scale", 0),
              .causal = parts.TakeInt("unidirectional", 0) != 0,
              .masked = parts.TakeFloat("mask_filter_value", kMaskedScore)};
  if (heads.count < 1) {
    throw Error(ErrorKind::kModel,
                fmt::format("attribute 'num_heads': expected at least 1, got {}", heads.count));
  }
  return heads;
}

// The node becomes the Attention of q, k and v [batch, length, heads * size]; `mask` and `bias` may
// be left out.
void BecomeAttention(FileNode& node, NodeParts& parts, const Heads& heads,
                     const std::vector<ValueId>& qkv, ValueId mask, ValueId bias) {
  const TensorType k = parts.TypeOf(qkv[1]);
  if (k.shape.rank() != 3) {
    ThrowUnsupported(fmt::format(
        "keys of {} are not supported: expected [batch, length, heads * size]", k.ToString()));
  }
  ValueId scores = bias;
  if (mask != kNoValue) {
    scores = parts.AddTo(ScoresOfMask(parts, mask, k, heads.masked), bias);
  }
  node.attributes.Set("q_num_heads", heads.count);
  node.attributes.Set("kv_num_heads", heads.count);
  if (heads.scale != 0) {
    node.attributes.Set("scale", heads.scale);
  }
  node.attributes.Set("is_causal", std::int64_t{heads.causal});
  std::vector<ValueId> inputs = qkv;
  if (scores != kNoValue) {
    inputs.push_back(scores);
  }
  parts.Become("Attention", std::move(inputs));
}

// Error kUnsupported when one of the operands from `first` on is given.
void RefuseInputs(const FileNode& node, std::size_t first, std::string_view what) {
  for (std::size_t i = first; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue) {
      ThrowUnsupported(fmt::format("input {} is given: {} are not supported", i, what));
    }
  }
}

// Rows of `table` at `ids`.
ValueId RowsAt(NodeParts& parts, ValueId table, ValueId ids) {
  return parts.Add(OpKind::kGather, {table, ids}, With("axis", std::int64_t{0}));
}

// 0, 1, ... of `count` positions.
ValueId Positions(NodeParts& parts, std::int64_t count) {
  RequireMakeable(count);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    positions.push_back(i);
  }
  return parts.Integers(positions);
}

// The number of ones in each row of `mask`, int32; zeros without a mask.
ValueId MaskIndex(NodeParts& parts, ValueId mask, std::int64_t batch) {
  if (mask == kNoValue) {
    return parts.Constant(Tensor(DType::kInt32, {batch}));
  }
  const ValueId ones = parts.Add(OpKind::kEqual, {mask, parts.Scalar(parts.TypeOf(mask).dtype, 1)});
  return parts.Add(OpKind::kReduceSum, {parts.CastTo(ones, DType::kInt32), parts.Integers({1})},
                   With("keepdims", std::int64_t{0}));
}

}  // namespace

void ExpandEmbedLayerNormalization(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const Shape ids = parts.TypeOf(parts.Input(0)).shape;
  if (ids.rank() != 2) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 0: expected [batch, length], got {}", ids.ToString()));
  }
  if (parts.TakeInt("mask_index_type", 1) > 1) {
    ThrowUnsupported("attribute 'mask_index_type': only 0 and 1 are supported");
  }
  const ValueId positions =
      parts.Optional(8) != kNoValue ? parts.Optional(8) : Positions(parts, ids[1]);
  ValueId sum = parts.Add(OpKind::kAdd, {RowsAt(parts, parts.Input(2), parts.Input(0)),
                                         RowsAt(parts, parts.Input(3), positions)});
  if (parts.Optional(1) != kNoValue) {
    sum = parts.Add(OpKind::kAdd, {sum, RowsAt(parts, parts.Input(4), parts.Optional(1))});
  }
  node.made_outputs = {kNoValue, MaskIndex(parts, parts.Optional(7), ids[0]), sum};
  node.output_count = 1;
  node.attributes.Set("epsilon", parts.TakeFloat("epsilon", 1e-12F));
  parts.Become("LayerNormalization", {sum, parts.Input(5), parts.Input(6)});
}

void ExpandContribAttention(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  if (parts.Optional(4) != kNoValue || parts.Optional(6) != kNoValue ||
      parts.TakeInt("do_rotary", 0) != 0) {
    ThrowUnsupported("past keys and rotary embedding inside the node are not supported");
  }
  static_cast<void>(parts.TakeInt("past_present_share_buffer", 0));
  const Heads heads = TakeHeads(parts);
  const ValueId whole =
      parts.AddTo(parts.Add(OpKind::kMatMul, {parts.Input(0), parts.Input(1)}), parts.Optional(2));
  const Shape shape = parts.TypeOf(whole).shape;
  const std::int64_t third = shape.rank() == 3 ? shape[2] / 3 : 0;
  const std::vector<std::int64_t> sizes =
      node.attributes.Ints("qkv_hidden_sizes", {third, third, third});
  node.attributes.Erase("qkv_hidden_sizes");
  if (shape.rank() != 3 || sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != shape[2]) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected queries, keys and values [batch, length, hidden] side by "
                            "side, got {} for sizes {}",
                            shape.ToString(), Shape(sizes).ToString()));
  }
  std::vector<ValueId> qkv;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    qkv.push_back(parts.Add(OpKind::kSlice, {whole, parts.Integers({begin}),
                                             parts.Integers({begin + size}), parts.Integers({2})}));
    begin += size;
  }
  BecomeAttention(node, parts, heads, qkv, parts.Optional(3), parts.Optional(5));
}

void ExpandMultiHeadAttention(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  RefuseInputs(node, 6, "past keys and values");
  const Heads heads = TakeHeads(parts);
  std::vector<ValueId> qkv = {parts.Input(0), parts.Input(1), parts.Input(2)};
  const ValueId bias = parts.Optional(3);  // of all three, one after the other
  std::int64_t begin = 0;
  for (ValueId& operand : qkv) {
    const Shape shape = parts.TypeOf(operand).shape;
    if (bias != kNoValue && shape.rank() == 3) {
      const ValueId own = parts.Add(
          OpKind::kSlice,
          {bias, parts.Integers({begin}), parts.Integers({begin + shape[2]}), parts.Integers({0})});
      operand = parts.Add(OpKind::kAdd, {operand, own});
      begin += shape[2];
    }
  }
  BecomeAttention(node, parts, heads, qkv, parts.Optional(4), parts.Optional(5));
}

// Positions stand before the angles, and may be the first one only.
void ExpandContribRotaryEmbedding(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  if (parts.TakeInt("is_packed_batching", 0) != 0 || parts.TakeFloat("scale", 1) != 1) {
    ThrowUnsupported(
        "attributes 'is_packed_batching' and 'scale': other values than 0 and 1 are not supported");
  }
  const Shape x = parts.TypeOf(parts.Input(0)).shape;
  if (x.rank() != 3 && x.rank() != 4) {
    throw Error(ErrorKind::kModel, fmt::format("input 0: expected 3 or 4 axes, got {}",
                                               parts.TypeOf(parts.Input(0)).ToString()));
  }
  ValueId positions = parts.Input(1);
  const std::int64_t length = x[x.rank() - 2];
  if (parts.TypeOf(positions).shape.rank() == 1) {
    const ValueId row = parts.Add(OpKind::kAdd, {Positions(parts, length), positions});
    positions = parts.Add(OpKind::kExpand, {row, parts.Integers({x[0], length})});
  }
  if (x.rank() == 3 && node.attributes.Int("num_heads", 0) == 0) {
    // The angles say how long a head is.
    const Shape angles = parts.TypeOf(parts.Input(2)).shape;
    const std::int64_t size = angles.rank() == 2 ? 2 * angles[1] : 0;
    if (size < 1 || x[2] % size != 0) {
      throw Error(ErrorKind::kModel, fmt::format("angles {} do not fit input {}: state 'num_heads'",
                                                 angles.ToString(), x.ToString()));
    }
    node.attributes.Set("num_heads", x[2] / size);
  }
  parts.Become("RotaryEmbedding", {parts.Input(0), parts.Input(2), parts.Input(3), positions});
}

}  // namespace halftone
