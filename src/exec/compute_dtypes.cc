#include "src/exec/compute_dtypes.h"

#include <optional>

#include "src/base/error.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Whether operands of this letter share one dtype inside a kernel. The mask of Attention has its
// own.
bool IsShared(OpKind op, char letter) {
  return letter == 'T' || letter == 'Y' ||
         (letter == 'A' && op != OpKind::kCast && op != OpKind::kAttention);
}

// Calls visit(letter, dtype) for every operand that is present; `visit` may change the dtype.
template <typename Visit>
void ForEachOperand(const Node& node, ComputeDTypes& dtypes, const Visit& visit) {
  const OpInfo& info = InfoOf(node.op);
  const auto walk = [&](bool inputs, const std::vector<ValueId>& ids, std::vector<DType>& of) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto item = SignatureItemAt(inputs ? info.inputs : info.outputs, i);
      const bool fused = inputs && IsFusedOperand(info, i);
      if (ids[i] != kNoValue && (item || fused)) {
        visit(fused ? 'Y' : item->letter, of[i]);
      }
    }
  };
  walk(true, node.inputs, dtypes.inputs);
  walk(false, node.outputs, dtypes.outputs);
}

using MaybeDType = std::optional<DType>;

void Widen(MaybeDType& widest, DType dtype) {
  if (IsFloating(dtype)) {
    widest = widest ? WidestFloat(*widest, dtype) : dtype;
  }
}

bool Is16Bit(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

}  // namespace

DType WidestFloat(DType a, DType b) {
  Check(IsFloating(a) && IsFloating(b), "WidestFloat() is of floats");
  if (a == b) {
    return a;
  }
  const bool has_double = a == DType::kFloat64 || b == DType::kFloat64;
  return has_double ? DType::kFloat64 : DType::kFloat32;
}

ComputeDTypes ComputeDTypesOf(const Node& node, const NodePrecision& precision) {
  ComputeDTypes dtypes{.inputs = DTypesOf(precision.inputs),
                       .outputs = DTypesOf(precision.outputs)};
  MaybeDType operands;
  MaybeDType results;  // of matrix operators
  ForEachOperand(node, dtypes, [&](char letter, DType& dtype) {
    if (IsShared(node.op, letter)) {
      Widen(letter == 'Y' ? results : operands, dtype);
    }
  });
  if (operands && results && *operands != *results) {
    const DType widest = WidestFloat(*operands, *results);
    results = widest;
    if (!Is16Bit(*operands) || widest == DType::kFloat64) {
      operands = widest;
    }
  }
  ForEachOperand(node, dtypes, [&](char letter, DType& dtype) {
    if (IsFloating(dtype) && IsShared(node.op, letter)) {
      dtype = letter == 'Y' ? results.value() : operands.value();
    } else if (letter == 'F' && Is16Bit(dtype)) {
      dtype = DType::kFloat32;
    }
  });
  return dtypes;
}

}  // namespace halftone
