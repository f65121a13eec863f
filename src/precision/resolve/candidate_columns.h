// Candidate columns of an operator's dtype table while its tensors narrow them one after the other:
// the three matchers of docs/internals/resolving.md, "Phase 2: column".
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
  // Not empty, ascending.
  explicit CandidateColumns(std::vector<std::size_t> columns);

  // In each matcher `dtypes` is the tensor's dtype per column, and a column whose dtype is
  // `forbidden` never counts.

  // Selects columns of exactly `wanted`; where there are none and `wanted` is a 16-bit float,
  // float32.
  bool Rise(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // Selects columns one step down: float32 to bfloat16, else to float16; bfloat16 to float16;
  // float16 to nothing.
  bool Reduce(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // Deletes forbidden columns for good, then selects the 16-bit floats: those of `preferred` where
  // there are any, else all in the order of the op library.
  bool Half(const std::vector<DType>& dtypes, std::optional<DType> forbidden,
            std::optional<DType> preferred);

  [[nodiscard]] const std::vector<std::size_t>& candidates() const { return candidates_; }

  // The first candidate; when none is left, the first of all.
  [[nodiscard]] std::size_t chosen() const {
    return candidates_.empty() ? first_ : candidates_.front();
  }

 private:
  bool KeepOnly(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  std::vector<std::size_t> candidates_;
  std::size_t first_;
};

}  // namespace halftone
