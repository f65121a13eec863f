#include "kernels/gemm/matrix_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

const TensorType& Operand(const KernelQuery& query, std::size_t i) {
  const TensorType* type = query.Input(i);
  Check(type != nullptr, "a matrix product has two operands");
  return *type;
}

void ReadGemm(const KernelQuery& query, MatrixCall& call) {
  const Attributes& attributes = *query.attributes;
  const Shape& a = Operand(query, 0).shape;
  const Shape& b = Operand(query, 1).shape;
  const bool trans_a = attributes.Int("transA", 0) != 0;
  const bool trans_b = attributes.Int("transB", 0) != 0;
  call.m = a[trans_a ? 1 : 0];
  call.k = a[trans_a ? 0 : 1];
  call.n = b[trans_b ? 0 : 1];
  call.a_row = trans_a ? 1 : call.k;
  call.a_step = trans_a ? call.m : 1;
  call.b_step = trans_b ? 1 : call.n;
  call.b_column = trans_b ? call.k : 1;
  call.a_offsets = {0};
  call.b_offsets = {0};
  call.alpha = attributes.Float("alpha", 1.0F);
  call.beta = attributes.Float("beta", 1.0F);
  if (const TensorType* bias = query.Input(2); bias != nullptr) {
    const Shape& c = bias->shape;
    call.has_bias = true;
    call.bias_elements = c.ElementCount();
    const std::int64_t columns = c.rank() >= 1 ? c[c.rank() - 1] : 1;
    const std::int64_t rows = c.rank() >= 2 ? c[c.rank() - 2] : 1;
    call.bias_column = columns == 1 ? 0 : 1;
    call.bias_row = rows == 1 ? 0 : columns;
  }
}

// The element offset of each batch of an operand whose batch extents broadcast to `batch`.
Extents BatchOffsets(const Extents& own, const Extents& strides, const Extents& batch) {
  const Shape shape(batch);
  Extents offsets(static_cast<std::size_t>(shape.ElementCount()), 0);
  const std::size_t lead = batch.size() - own.size();
  for (std::size_t flat = 0; flat < offsets.size(); ++flat) {
    auto rest = static_cast<std::int64_t>(flat);
    for (std::size_t axis = batch.size(); axis-- > lead;) {
      const std::int64_t index = rest % batch[axis];
      rest /= batch[axis];
      offsets[flat] += own[axis - lead] == 1 ? 0 : index * strides[axis - lead];
    }
  }
  return offsets;
}

// `values` in the order of operand B, as the product takes it.
Extents InOrderOfB(const KernelQuery& query, const Extents& values) {
  Extents ordered;
  for (const std::int64_t axis : query.fusion->b_perm) {
    ordered.push_back(values.at(static_cast<std::size_t>(axis)));
  }
  return ordered.empty() ? values : ordered;
}

// Offsets of all matrices are listed, 16 bytes for each.
void RequireListable(std::int64_t batches) {
  constexpr std::int64_t kMostBatches = std::int64_t{1} << 24;
  if (batches > kMostBatches) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected at most {} products of matrices in one node, got {}: make "
                            "the batch smaller",
                            kMostBatches, batches));
  }
}

void ReadMatMul(const KernelQuery& query, MatrixCall& call) {
  Extents a = Operand(query, 0).shape.dims();
  Extents b = InOrderOfB(query, Operand(query, 1).shape.dims());
  Extents b_strides = InOrderOfB(query, StridesOf(Operand(query, 1).shape));
  if (a.size() == 1) {  // 1-D operands count as a row and a column (ONNX, as numpy.matmul)
    a.insert(a.begin(), 1);
  }
  if (b.size() == 1) {
    b.push_back(1);
    b_strides.push_back(1);
  }
  const Extents a_strides = StridesOf(Shape(a));
  call.m = a[a.size() - 2];
  call.k = a.back();
  call.n = b.back();
  call.a_row = call.k;
  call.b_step = b_strides[b.size() - 2];
  call.b_column = b_strides.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  const Extents batch = BroadcastShapes(Shape(a), Shape(b)).dims();
  const std::int64_t batches = Shape(batch).ElementCount();
  const bool one_b = std::all_of(b.begin(), b.end(), [](std::int64_t d) { return d == 1; });
  if (one_b && Shape(a).ElementCount() == batches) {
    call.m *= batches;  // the rows of all batches follow each other
    call.a_offsets = {0};
    call.b_offsets = {0};
  } else {
    RequireListable(batches);
    call.a_offsets = BatchOffsets(a, a_strides, batch);
    call.b_offsets = BatchOffsets(b, b_strides, batch);
  }
  if (const TensorType* bias = query.Input(kBiasOperand); bias != nullptr) {
    call.has_bias = true;
    call.bias_elements = bias->shape.ElementCount();
    call.bias_column = call.bias_elements == 1 ? 0 : 1;
  }
}

}  // namespace

MatrixCall MatrixCallOf(const KernelQuery& query) {
  MatrixCall call;
  call.dtype = Operand(query, 0).dtype;
  call.result_dtype = query.outputs.at(0)->dtype;
  if (Operand(query, 1).dtype != call.dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected both matrices in {}, got {}", NameOf(call.dtype),
                            NameOf(Operand(query, 1).dtype)));
  }
  if (const TensorType* bias = query.Input(2);
      bias != nullptr && bias->dtype != call.result_dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected the bias in the result's {}, got {}",
                            NameOf(call.result_dtype), NameOf(bias->dtype)));
  }
  if (query.op == OpKind::kGemm) {
    ReadGemm(query, call);
  } else {
    ReadMatMul(query, call);
  }
  call.epilogue = EpilogueOf(query, call.n);
  call.b_elements = Operand(query, 1).shape.ElementCount();
  call.b_shared = std::all_of(call.b_offsets.begin(), call.b_offsets.end(),
                              [](std::int64_t offset) { return offset == 0; });
  return call;
}

ConstantInputs::ConstantInputs(const KernelQuery& query) {
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    const Tensor* constant = query.Constant(i);
    constants_.push_back(constant != nullptr ? std::optional<Tensor>(*constant) : std::nullopt);
  }
}

void ConstantInputs::Release(std::size_t i) {
  if (i < constants_.size() && constants_[i].has_value()) {
    constants_[i] = Tensor();
  }
}

bool ConstantInputs::Released(std::size_t i) const {
  return i < constants_.size() && constants_[i].has_value() && !constants_[i]->has_bytes();
}

const void* ConstantInputs::Input(const KernelArgs& args, std::size_t i) const {
  if (i < args.inputs.size() && args.inputs[i] != nullptr) {
    return args.inputs[i];
  }
  return i < constants_.size() && constants_[i].has_value() ? constants_[i]->data() : nullptr;
}

}  // namespace halftone
