// Quantised operators of com.microsoft: rewritten as DequantizeLinear, the operator in float32 and
// QuantizeLinear; or as an integer product and its scales.
#include <fmt/format.h>

#include <optional>

#include "src/base/error.h"
#include "src/onnx/contrib.h"
#include "src/onnx/node_parts.h"

namespace halftone {
namespace {

// Operand `first` with the scale and the zero point behind it, as float32.
ValueId Dequantized(NodeParts& parts, std::size_t first, std::int64_t axis = 1) {
  std::vector<ValueId> inputs = {parts.Input(first), parts.Input(first + 1)};
  if (parts.Optional(first + 2) != kNoValue) {
    inputs.push_back(parts.Optional(first + 2));
  }
  Attributes attributes;
  if (parts.TypeOf(inputs[1]).shape.ElementCount() > 1) {
    attributes.Set("axis", axis);
  }
  return parts.Add(OpKind::kDequantizeLinear, std::move(inputs), std::move(attributes));
}

// The node becomes the QuantizeLinear of x with the scale at `scale` and the zero point behind it.
void BecomeQuantized(FileNode& node, NodeParts& parts, ValueId x, std::size_t scale,
                     std::size_t other) {
  // Without a zero point the result has the type of operand `other`.
  ValueId zero = parts.Optional(scale + 1);
  if (zero == kNoValue) {
    zero = parts.Constant(Tensor(parts.TypeOf(parts.Input(other)).dtype, Shape{}));
  }
  node.attributes = {};
  parts.Become("QuantizeLinear", {x, parts.Input(scale), zero});
}

// The product of two scales; one of them may have a value for each column.
ValueId ProductOfScales(NodeParts& parts, std::size_t a, std::size_t b) {
  return parts.Add(OpKind::kMul, {parts.Input(a), parts.Input(b)});
}

// Integers [.., K] by [K, N], times their scales, plus a bias: float32.
void BecomeScaledProduct(FileNode& node, NodeParts& parts, std::vector<ValueId> product,
                         ValueId scale, ValueId bias) {
  while (product.back() == kNoValue) {
    product.pop_back();
  }
  const ValueId sums =
      parts.CastTo(parts.Add(OpKind::kMatMulInteger, std::move(product)), DType::kFloat32);
  node.attributes = {};
  if (bias == kNoValue) {
    parts.Become("Mul", {sums, scale});
  } else {
    parts.Become("Add", {parts.Add(OpKind::kMul, {sums, scale}), bias});
  }
}

// Weights of MatMulNBits: [N, blocks, bytes of a block], the first number in the low bits.
struct PackedBits {
  const Tensor& data;
  std::int64_t bits;
  std::int64_t block;
  std::int64_t blocks;  // of a column

  [[nodiscard]] std::int64_t At(std::int64_t column, std::int64_t k) const {
    const std::int64_t bytes = block * bits / 8;
    const std::int64_t bit = k % block * bits;
    const std::int64_t byte = (column * blocks + k / block) * bytes + bit / 8;
    const std::uint8_t value = data.values<std::uint8_t>()[static_cast<std::size_t>(byte)];
    return (value >> (bit % 8)) & ((1 << bits) - 1);
  }
};

// The zero point of a block: stated as packed numbers (rows of whole bytes) or as floats, else half
// the range.
double ZeroPoint(const Tensor* zeros, std::int64_t bits, std::int64_t column, std::int64_t blocks,
                 std::int64_t block) {
  if (zeros == nullptr) {
    return static_cast<double>(std::int64_t{1} << (bits - 1));
  }
  if (IsFloating(zeros->dtype())) {
    return DoubleAt(zeros->dtype(), zeros->data(), column * blocks + block);
  }
  const std::int64_t row = (blocks * bits + 7) / 8;
  const std::int64_t bit = block * bits;
  const std::uint8_t value =
      zeros->values<std::uint8_t>()[static_cast<std::size_t>(column * row + bit / 8)];
  return (value >> (bit % 8)) & ((1 << bits) - 1);
}

void RequireCount(const Tensor& tensor, DType dtype, std::int64_t count, std::string_view what) {
  if (tensor.dtype() != dtype || tensor.ElementCount() != count) {
    throw Error(ErrorKind::kModel, fmt::format("{}: expected {} values of {}, got {}", what, count,
                                               NameOf(dtype), tensor.type().ToString()));
  }
}

}  // namespace

void ExpandQLinearBinary(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const OpKind op = node.type == "QLinearAdd" ? OpKind::kAdd : OpKind::kMul;
  const ValueId a = Dequantized(parts, 0);
  const ValueId b = Dequantized(parts, 3);
  BecomeQuantized(node, parts, parts.Add(op, {a, b}), 6, 0);
}

void ExpandQLinearUnary(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const OpInfo* info = FindOp(std::string_view(node.type).substr(7));  // behind "QLinear"
  Check(info != nullptr, "a QLinear operator is that of another one");
  if (parts.TakeInt("channels_last", 0) != 0) {
    ThrowUnsupported("attribute 'channels_last': only 0 is supported");
  }
  const ValueId x = Dequantized(parts, 0);
  if (info->kind == OpKind::kSoftmax) {
    // Softmax of the opset in the attribute: until 12 over all axes from `axis` on.
    const std::int64_t opset = parts.TakeInt("opset", 13);
    const std::int64_t axis = node.attributes.Int("axis", opset < 13 ? 1 : -1);
    const int rank = parts.TypeOf(x).shape.rank();
    node.attributes.Set("axis", axis);
    if (opset < 13 && NormalizeAxis(axis, rank) != rank - 1) {
      node.attributes.Set("coerce_2d", std::int64_t{1});
    }
  }
  BecomeQuantized(node, parts, parts.Add(info->kind, {x}, node.attributes), 3, 0);
}

void ExpandQLinearConcat(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const std::size_t count = node.inputs.size();
  if (count < 4 || (count - 2) % 3 == 1) {  // the last zero point may be left out
    throw Error(ErrorKind::kModel,
                fmt::format("expected a scale, a zero point, and three inputs for each part, got "
                            "{} inputs",
                            count));
  }
  std::vector<ValueId> values;
  for (std::size_t i = 2; i < count; i += 3) {
    values.push_back(Dequantized(parts, i));
  }
  BecomeQuantized(node, parts, parts.Add(OpKind::kConcat, std::move(values), node.attributes), 0,
                  2);
}

void ExpandQGemm(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const double alpha = node.attributes.Float("alpha", 1);
  const bool turned = node.attributes.Int("transB", 0) != 0;
  std::vector<ValueId> inputs = {Dequantized(parts, 0), Dequantized(parts, 3, turned ? 0 : 1)};
  if (parts.Optional(6) != kNoValue) {  // int32, in units of alpha times both scales
    ValueId scale = ProductOfScales(parts, 1, 4);
    if (alpha != 1) {
      scale = parts.Add(OpKind::kMul, {scale, parts.Scalar(DType::kFloat32, alpha)});
    }
    const ValueId c = parts.CastTo(parts.Optional(6), DType::kFloat32);
    inputs.push_back(parts.Add(OpKind::kMul, {c, scale}));
  }
  if (parts.Optional(7) == kNoValue) {
    parts.Become("Gemm", std::move(inputs));
    return;
  }
  BecomeQuantized(node, parts, parts.Add(OpKind::kGemm, std::move(inputs), node.attributes), 7, 0);
}

void ExpandMatMulIntegerToFloat(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  BecomeScaledProduct(node, parts,
                      {parts.Input(0), parts.Input(1), parts.Optional(4), parts.Optional(5)},
                      ProductOfScales(parts, 2, 3), parts.Optional(6));
}

void ExpandDynamicQuantizeMatMul(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  Node quantize = HelperNode(node, builder, OpKind::kDynamicQuantizeLinear, 0);
  quantize.inputs = {parts.Input(0)};
  std::vector<std::string> names;
  for (const std::string_view part : {"data", "scale", "zero_point"}) {
    names.push_back(builder.value_names.Make(fmt::format("{}:{}", quantize.name, part)));
  }
  const std::vector<ValueId> a = builder.AddNode(std::move(quantize), names);
  const ValueId scale = parts.Add(OpKind::kMul, {a.at(1), parts.Input(2)});
  BecomeScaledProduct(node, parts, {a.at(0), parts.Input(1), a.at(2), parts.Optional(3)}, scale,
                      parts.Optional(4));
}

// Weights are written out as floats, of the type of A: every number of their few bits is exact, its
// product with the scale is rounded once.
void ExpandMatMulNBits(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const std::int64_t depth = parts.TakeInt("K", 0);
  const std::int64_t columns = parts.TakeInt("N", 0);
  const std::int64_t bits = parts.TakeInt("bits", 4);
  const std::int64_t block = parts.TakeInt("block_size", 0);
  static_cast<void>(parts.TakeInt("accuracy_level", 0));  // how exact the sums have to be at least
  const bool known = bits == 2 || bits == 4 || bits == 8;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  if (!known || depth < 1 || columns < 1 || block < 8 || block > 4096 || depth > kMost ||
      columns > kMost) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected 2, 4 or 8 bits and blocks of 8 to 4096, got {} bits, blocks "
                            "of {}, K {} and N {}",
                            bits, block, depth, columns));
  }
  if (parts.Optional(4) != kNoValue) {
    ThrowUnsupported("input 'g_idx' is not supported");
  }
  const DType dtype = parts.TypeOf(parts.Input(0)).dtype;
  const std::int64_t blocks = (depth + block - 1) / block;
  const Tensor data = builder.ConstantOf(parts.Input(1), "input 'B'");
  const Tensor scales = builder.ConstantOf(parts.Input(2), "input 'scales'");
  RequireCount(data, DType::kUInt8, Shape{columns, blocks, block * bits / 8}.ElementCount(), "B");
  RequireCount(scales, scales.dtype(), Shape{columns, blocks}.ElementCount(), "scales");
  std::optional<Tensor> zeros;
  if (parts.Optional(3) != kNoValue) {
    zeros = builder.ConstantOf(parts.Optional(3), "input 'zero_points'");
    const bool packed = !IsFloating(zeros->dtype());
    RequireCount(*zeros, packed ? DType::kUInt8 : zeros->dtype(),
                 columns * (packed ? (blocks * bits + 7) / 8 : blocks), "zero_points");
  }
  builder.Reserve({dtype, {depth, columns}});
  Tensor weights(dtype, {depth, columns});
  const PackedBits packed{data, bits, block, blocks};
  for (std::int64_t n = 0; n < columns; ++n) {
    for (std::int64_t k = 0; k < depth; ++k) {
      const double zero = ZeroPoint(zeros ? &*zeros : nullptr, bits, n, blocks, k / block);
      const double scale = DoubleAt(scales.dtype(), scales.data(), n * blocks + k / block);
      StoreDouble(dtype, weights.mutable_data(), k * columns + n,
                  (static_cast<double>(packed.At(n, k)) - zero) * scale);
    }
  }
  const ValueId w = parts.Constant(std::move(weights));
  if (parts.Optional(5) == kNoValue) {
    parts.Become("MatMul", {parts.Input(0), w});
    return;
  }
  const ValueId product = parts.Add(OpKind::kMatMul, {parts.Input(0), w});
  parts.Become("Add", {product, parts.Optional(5)});
}

}  // namespace halftone
