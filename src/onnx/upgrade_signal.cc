#include "src/onnx/upgrade_signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "src/base/error.h"
#include "src/onnx/node_parts.h"

namespace halftone {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// A transform of `length` values to `bins` complex ones. Each value has `parts` numbers (1: real,
// 2: complex); the first `given` values are there, the others are zero.
struct Transform {
  std::int64_t length = 1;
  std::int64_t given = 1;
  std::int64_t parts = 1;
  std::int64_t bins = 1;
  bool inverse = false;
};

// [given * parts, bins * 2]: value n times e^(-2 pi i n k / length) for bin k; the inverse turns
// the other way and divides by the length. Angles are reduced before they are rounded.
Tensor MatrixOf(const Transform& t, DType dtype, const std::vector<double>& window) {
  Tensor matrix(dtype, {t.given * t.parts, t.bins * 2});
  const double sign = t.inverse ? 1 : -1;
  const double scale = t.inverse ? 1 / static_cast<double>(t.length) : 1;
  for (std::int64_t n = 0; n < t.given; ++n) {
    const double weight = window.empty() ? scale : scale * window[static_cast<std::size_t>(n)];
    for (std::int64_t k = 0; k < t.bins; ++k) {
      const double angle =
          sign * kTurn * static_cast<double>(n * k % t.length) / static_cast<double>(t.length);
      const double real = weight * std::cos(angle);
      const double imaginary = weight * std::sin(angle);
      const std::int64_t row = n * t.parts * t.bins * 2;
      StoreDouble(dtype, matrix.mutable_data(), row + 2 * k, real);
      StoreDouble(dtype, matrix.mutable_data(), row + 2 * k + 1, imaginary);
      if (t.parts == 2) {
        StoreDouble(dtype, matrix.mutable_data(), row + t.bins * 2 + 2 * k, -imaginary);
        StoreDouble(dtype, matrix.mutable_data(), row + t.bins * 2 + 2 * k + 1, real);
      }
    }
  }
  return matrix;
}

void CheckTransform(const Transform& t) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  if (t.length < 1 || t.length > kMost || (t.parts != 1 && t.parts != 2)) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected a length of 1 to {} and a last axis of 1 or 2, got {} and {}",
                            kMost, t.length, t.parts));
  }
}

// The one value of an operand that is an integer scalar; `absent` where it is left out.
std::int64_t IntegerInput(const NodeParts& parts, GraphBuilder& builder, std::size_t index,
                          std::string_view name, std::int64_t absent) {
  const ValueId id = parts.Optional(index);
  if (id == kNoValue) {
    return absent;
  }
  const Tensor& tensor = builder.ConstantOf(id, fmt::format("input '{}'", name));
  if (tensor.ElementCount() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("input '{}': expected one value, got {}", name,
                                               tensor.type().ToString()));
  }
  return IntegersOf(tensor).at(0);
}

// The axes of `rank` with `axis` and the last one moved to the end, or back.
std::vector<std::int64_t> AxisLast(int rank, int axis) {
  std::vector<std::int64_t> perm;
  for (int i = 0; i < rank - 1; ++i) {
    if (i != axis) {
      perm.push_back(i);
    }
  }
  perm.push_back(axis);
  perm.push_back(rank - 1);
  return perm;
}

std::vector<std::int64_t> Inverted(const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  }
  return inverse;
}

ValueId Transposed(NodeParts& parts, ValueId x, const std::vector<std::int64_t>& perm) {
  Attributes attributes;
  attributes.Set("perm", perm);
  return parts.Add(OpKind::kTranspose, {x}, std::move(attributes));
}

}  // namespace

void UpgradeDft(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  ValueId x = parts.Input(0);
  const TensorType type = parts.TypeOf(x);
  const int rank = type.shape.rank();
  if (rank < 2 || !IsFloating(type.dtype)) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected floats [..., length, 1 or 2], got {}", type.ToString()));
  }
  // An attribute until opset 19, where it is 1 when it is not given; then an input.
  const std::int64_t stated =
      node.opset < 20 ? parts.TakeInt("axis", 1) : IntegerInput(parts, builder, 2, "axis", -2);
  const int axis = NormalizeAxis(stated, rank);
  const bool one_sided = parts.TakeInt("onesided", 0) != 0;
  Transform t{.given = type.shape[axis],
              .parts = type.shape[rank - 1],
              .inverse = parts.TakeInt("inverse", 0) != 0};
  t.length = IntegerInput(parts, builder, 1, "dft_length", t.given);
  CheckTransform(t);
  if (axis == rank - 1 || (one_sided && (t.inverse || t.parts == 2))) {
    ThrowUnsupported(
        "transforms along the last axis, and one-sided ones that are inverse or of "
        "complex values, are not supported");
  }
  t.bins = one_sided ? t.length / 2 + 1 : t.length;
  const std::vector<std::int64_t> perm = AxisLast(rank, axis);
  if (axis != rank - 2) {
    x = Transposed(parts, x, perm);
  }
  if (t.given > t.length) {
    x = parts.Add(OpKind::kSlice,
                  {x, parts.Integers({0}), parts.Integers({t.length}), parts.Integers({rank - 2})});
    t.given = t.length;
  }
  std::vector<std::int64_t> dims = parts.TypeOf(x).shape.dims();
  dims.resize(static_cast<std::size_t>(rank) - 2);
  std::vector<std::int64_t> rows = dims;
  rows.push_back(t.given * t.parts);
  RequireMakeable(t.given * t.parts * t.bins * 2);
  builder.Reserve({type.dtype, {t.given * t.parts, t.bins * 2}});
  const ValueId flat = parts.Add(OpKind::kReshape, {x, parts.Integers(rows)});
  const ValueId product =
      parts.Add(OpKind::kMatMul, {flat, parts.Constant(MatrixOf(t, type.dtype, {}))});
  dims.push_back(t.bins);
  dims.push_back(2);
  if (axis == rank - 2) {
    parts.Become("Reshape", {product, parts.Integers(dims)});
    return;
  }
  const ValueId bins = parts.Add(OpKind::kReshape, {product, parts.Integers(dims)});
  node.attributes.Set("perm", Inverted(perm));
  parts.Become("Transpose", {bins});
}

void UpgradeStft(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  ValueId x = parts.Input(0);
  const TensorType type = parts.TypeOf(x);
  const bool has_parts = type.shape.rank() == 3;
  if ((!has_parts && type.shape.rank() != 2) || !IsFloating(type.dtype)) {
    throw Error(ErrorKind::kModel, fmt::format("expected a signal of floats [batch, length, 1 or "
                                               "2], got {}",
                                               type.ToString()));
  }
  const std::int64_t step = IntegerInput(parts, builder, 1, "frame_step", 0);
  const ValueId window = parts.Optional(2);
  const std::int64_t length = window != kNoValue ? parts.TypeOf(window).shape.ElementCount() : 0;
  const std::int64_t frame = IntegerInput(parts, builder, 3, "frame_length", length);
  const std::int64_t samples = type.shape[1];
  if (step < 1 || frame < 1 || frame > samples || (window != kNoValue && length != frame)) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected steps of at least 1 and frames and a window of one length up "
                            "to the signal's, got steps of {}, frames of {}, a window of {} and a "
                            "signal of {}",
                            step, frame, length, samples));
  }
  const bool one_sided = parts.TakeInt("onesided", 1) != 0;
  Transform t{.length = frame, .given = frame, .parts = has_parts ? type.shape[2] : 1};
  CheckTransform(t);
  if (one_sided && t.parts == 2) {
    ThrowUnsupported("one-sided transforms of complex values are not supported");
  }
  t.bins = one_sided ? frame / 2 + 1 : frame;
  const std::int64_t frames = (samples - frame) / step + 1;
  RequireMakeable(Shape{frames, frame}.ElementCount());
  builder.Reserve({DType::kInt64, {frames, frame}});
  Tensor indices(DType::kInt64, {frames, frame});
  for (std::int64_t i = 0; i < frames * frame; ++i) {
    indices.mutable_values<std::int64_t>()[static_cast<std::size_t>(i)] =
        i / frame * step + i % frame;
  }
  Attributes second;
  second.Set("axis", std::int64_t{1});
  x = parts.Add(OpKind::kGather, {x, parts.Constant(std::move(indices))}, std::move(second));
  std::vector<double> weights;
  if (window != kNoValue && builder.graph.value(window).constant) {
    weights = DoublesOf(*builder.graph.value(window).constant);
  } else if (window != kNoValue) {
    const std::vector<std::int64_t> along =
        has_parts ? std::vector<std::int64_t>{frame, 1} : std::vector<std::int64_t>{frame};
    x = parts.Add(OpKind::kMul, {x, parts.Add(OpKind::kReshape, {window, parts.Integers(along)})});
  }
  RequireMakeable(frame * t.parts * t.bins * 2);
  builder.Reserve({type.dtype, {frame * t.parts, t.bins * 2}});
  const std::int64_t batch = type.shape[0];
  const ValueId flat =
      parts.Add(OpKind::kReshape, {x, parts.Integers({batch, frames, frame * t.parts})});
  const ValueId product =
      parts.Add(OpKind::kMatMul, {flat, parts.Constant(MatrixOf(t, type.dtype, weights))});
  parts.Become("Reshape", {product, parts.Integers({batch, frames, t.bins, 2})});
}

void UpgradeWindow(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  const std::int64_t size = IntegerInput(parts, builder, 0, "size", 0);
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  if (size < 1 || size > kMost) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 'size': expected 1 to {}, got {}", kMost, size));
  }
  const auto dtype = DTypeFromOnnx(static_cast<int>(parts.TakeInt("output_datatype", 1)));
  if (!dtype || !IsFloating(*dtype)) {
    ThrowUnsupported("attribute 'output_datatype': expected a floating type that halftone has");
  }
  const bool periodic = parts.TakeInt("periodic", 1) != 0;

  // Cosines of 0, 1 and 2 turns; those of Hamming as ONNX has them, 25/46 and 21/46.
  struct Row {
    std::string_view type;
    double terms[3];
  };

  constexpr Row kRows[] = {{"HannWindow", {0.5, -0.5, 0}},
                           {"HammingWindow", {25.0 / 46, -21.0 / 46, 0}},
                           {"BlackmanWindow", {0.42, -0.5, 0.08}}};
  Tensor window(*dtype, {size});
  for (const Row& row : kRows) {
    if (row.type != node.type) {
      continue;
    }
    const auto turns = static_cast<double>(periodic ? size : std::max<std::int64_t>(size - 1, 1));
    for (std::int64_t i = 0; i < size; ++i) {
      const double angle = kTurn * static_cast<double>(i) / turns;
      StoreDouble(
          *dtype, window.mutable_data(), i,
          row.terms[0] + row.terms[1] * std::cos(angle) + row.terms[2] * std::cos(2 * angle));
    }
  }
  parts.Become("Identity", {parts.Constant(std::move(window))});
}

}  // namespace halftone
