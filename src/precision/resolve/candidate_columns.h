// Candidate columns of an operator's dtype table, which its tensors narrow one after the other. The
// three matchers are those of docs/internals/resolving.md, "Phase 2: column".
//
// A matcher returns true and replaces the candidates if some of them match, else it returns false.
// No match is not an error, because the engine phase has already accepted the operator. Not thread
// safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/ir/dtype.h"

namespace halftone {

class CandidateColumns {
 public:
  // Requires ascending columns, at least one.
  explicit CandidateColumns(std::vector<std::size_t> columns);

  // For each matcher, `dtypes` has the tensor's dtype in each column of the table, and a column
  // whose dtype is `forbidden` never matches.

  // Selects the columns with dtype `wanted`. If there are none and `wanted` is a 16-bit float,
  // selects those with float32.
  bool Rise(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // Selects the columns with the next lower dtype than `wanted`. For float32 this is bfloat16, or
  // float16 if no column has bfloat16; for bfloat16 it is float16. Other dtypes match no column.
  bool Reduce(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  // Removes forbidden columns from the candidates, even without a match. Then selects the columns
  // with dtype `preferred`, or, if there are none, all columns with 16-bit floats.
  bool Half(const std::vector<DType>& dtypes, std::optional<DType> forbidden,
            std::optional<DType> preferred);

  [[nodiscard]] const std::vector<std::size_t>& candidates() const { return candidates_; }

  // The first candidate; if none is left, the first column that was given.
  [[nodiscard]] std::size_t chosen() const {
    return candidates_.empty() ? first_ : candidates_.front();
  }

 private:
  bool KeepOnly(const std::vector<DType>& dtypes, DType wanted, std::optional<DType> forbidden);

  std::vector<std::size_t> candidates_;
  std::size_t first_;
};

}  // namespace halftone
