// Dtype columns of an operator in the notation of target files (docs/reference/targets.md). A
// column is one choice of dtypes for all tensors of the operator.
//
// The tensors are written as letters, inputs -> outputs, in the order of the ONNX operands:
// "TTY->Y". A "?" behind a letter: optional. A "*" behind the last letter: one or more. A list of
// dtypes gives the values of letters:
//   T  each dtype of the list
//   Y  result of a matrix operator: the second dtype of a pair of the list
//   A  each dtype of the list; beside T, any dtype of the list or bool, whatever T is
//   I  int32 or int64
//   L  int64
//   B  bool
//   F  float32
// A letter has the same dtype in all tensors of a column.
#pragma once

#include <string_view>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/op_table.h"
#include "src/target/target_spec.h"

namespace halftone {

// Item of a dtype list: "float16", or "float16>float32" if the result has another dtype.
struct DTypePair {
  DType dtype = DType::kFloat32;
  DType result = DType::kFloat32;

  friend bool operator==(const DTypePair&, const DTypePair&) = default;
};

struct OperatorTensors {
  std::vector<SignatureItem> inputs;
  std::vector<SignatureItem> outputs;

  [[nodiscard]] bool Uses(char letter) const;

  // True if a list of dtypes is needed, because T, Y or A occurs.
  [[nodiscard]] bool needs_list() const { return Uses('T') || Uses('Y') || Uses('A'); }
};

// Parses tensors, such as "TT->T". Error kUsage: another syntax.
OperatorTensors ParseTensors(std::string_view text);

// Parses an item of a dtype list. Error kUsage: an unknown dtype.
DTypePair ParseDTypePair(std::string_view text);

// Returns the columns: one for each item of `list` (one in all if no letter needs the list), for
// each dtype of A, and for each dtype of I. The other members of LibraryOp, except repetition, keep
// their defaults.
LibraryOp LibraryColumns(const OperatorTensors& tensors, const std::vector<DTypePair>& list);

// Returns the dtypes that each tensor has in these columns, as independent sets.
AiCpuOp LibrarySets(const OperatorTensors& tensors, const std::vector<DTypePair>& list);

}  // namespace halftone
