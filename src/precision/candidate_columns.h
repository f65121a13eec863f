// The columns of an operator's dtype table that are still possible while its tensors are narrowed
// one after the other: the three matchers of docs/precision.md, "Phase 2: column".
//
// A matcher replaces the candidates only on success; a failure is not an error, because the engine
// phase has already accepted the operator. Not thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/ir/dtype.h"

namespace halftone {

class CandidateColumns {
 public:
  // All columns 0 .. count-1.
  explicit CandidateColumns(std::size_t count);

  // In each matcher `dtypes` is the tensor's dtype per column, and a column whose dtype is
  // `forbidden` never counts.

  // Columns of exactly `wanted`; where there are none and `wanted` is a 16-bit float, float32.
  bool Rise(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // One step down: float32 to bfloat16, else to float16; bfloat16 to float16; float16 to nothing.
  bool Reduce(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // Deletes forbidden columns for good, then keeps the 16-bit floats: those of `preferred` where
  // there are any, else all in library order.
  bool Half(const std::vector<DType>& dtypes, std::optional<DType> forbidden,
            std::optional<DType> preferred);

  // The first candidate; column 0 when none is left.
  [[nodiscard]] std::size_t chosen() const { return candidates_.empty() ? 0 : candidates_.front(); }

 private:
  bool KeepOnly(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  std::vector<std::size_t> candidates_;
};

}  // namespace halftone
