#include "src/precision/resolve/candidate_columns.h"

#include <algorithm>
#include <utility>

namespace halftone {
namespace {

bool IsHalf(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

}  // namespace

CandidateColumns::CandidateColumns(std::vector<std::size_t> columns)
    : candidates_(std::move(columns)), first_(candidates_.at(0)) {}

bool CandidateColumns::KeepOnly(const std::vector<DType>& dtypes, DType wanted,
                                std::optional<DType> forbidden) {
  if (wanted == forbidden) {
    return false;
  }
  std::vector<std::size_t> kept;
  std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(kept),
               [&](std::size_t column) { return dtypes[column] == wanted; });
  if (kept.empty()) {
    return false;
  }
  candidates_ = std::move(kept);
  return true;
}

bool CandidateColumns::Rise(const std::vector<DType>& dtypes, DType wanted,
                            std::optional<DType> forbidden) {
  return KeepOnly(dtypes, wanted, forbidden) ||
         (IsHalf(wanted) && KeepOnly(dtypes, DType::kFloat32, forbidden));
}

bool CandidateColumns::Reduce(const std::vector<DType>& dtypes, DType wanted,
                              std::optional<DType> forbidden) {
  if (wanted == DType::kFloat32) {
    return KeepOnly(dtypes, DType::kBFloat16, forbidden) ||
           KeepOnly(dtypes, DType::kFloat16, forbidden);
  }
  return wanted == DType::kBFloat16 && KeepOnly(dtypes, DType::kFloat16, forbidden);
}

bool CandidateColumns::Half(const std::vector<DType>& dtypes, std::optional<DType> forbidden,
                            std::optional<DType> preferred) {
  std::erase_if(candidates_, [&](std::size_t column) { return dtypes[column] == forbidden; });
  if (preferred && KeepOnly(dtypes, *preferred, forbidden)) {
    return true;
  }
  std::vector<std::size_t> kept;
  std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(kept),
               [&](std::size_t column) { return IsHalf(dtypes[column]); });
  if (kept.empty()) {
    return false;
  }
  candidates_ = std::move(kept);
  return true;
}

}  // namespace halftone
