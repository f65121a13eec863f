// Dtype columns of one operator, from its tensors and a list of dtypes: the notation of target
// files (docs/reference/targets.md).
//
// Tensors are letters, inputs -> outputs, in the order of the ONNX operands: "TTY->Y". "?" behind a
// letter: optional, "*": one or more (the last only).
//   T  each dtype of the list              Y  result of a matrix operator: the second of a pair
//   A  each dtype of the list              I  int32 or int64      L  int64
//   B  bool                                F  float32
// The same letter has the same dtype in all tensors of a column.
#pragma once

#include <string_view>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/op_table.h"
#include "src/target/target_spec.h"

namespace halftone {

// One item of a dtype list: "float16", or "float16>float32" where the result has another dtype.
struct DTypePair {
  DType dtype = DType::kFloat32;
  DType result = DType::kFloat32;

  friend bool operator==(const DTypePair&, const DTypePair&) = default;
};

struct OperatorTensors {
  std::vector<SignatureItem> inputs;
  std::vector<SignatureItem> outputs;

  [[nodiscard]] bool Uses(char letter) const;

  // True if a list of dtypes is needed: T, Y or A occurs.
  [[nodiscard]] bool needs_list() const { return Uses('T') || Uses('Y') || Uses('A'); }
};

// Parses "TT->T". Error kUsage naming what was found instead.
OperatorTensors ParseTensors(std::string_view text);

// Parses an item of a dtype list. Error kUsage for an unknown dtype.
DTypePair ParseDTypePair(std::string_view text);

// One column for each item of `list` (one column when no letter needs it), times the two dtypes of
// I. Sets columns and repetition only.
LibraryOp LibraryColumns(const OperatorTensors& tensors, const std::vector<DTypePair>& list);

// The same dtypes as independent sets, one per tensor.
AiCpuOp LibrarySets(const OperatorTensors& tensors, const std::vector<DTypePair>& list);

}  // namespace halftone
