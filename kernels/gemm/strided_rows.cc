#include "kernels/gemm/strided_rows.h"

#include <type_traits>

#include "src/ir/half.h"

namespace halftone {
namespace {

template <typename To, typename From>
To Converted(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, float>) {
    return To::FromFloat(value);
  } else if constexpr (std::is_same_v<To, float>) {
    return value.ToFloat();
  } else {
    return To::FromFloat(value.ToFloat());
  }
}

// Copies step by step, because the elements of a step are neighbours in a transposed matrix.
template <typename From, typename To>
void Copy(const StridedRows& rows, std::int64_t target_stride, std::byte* target) {
  const auto* from = reinterpret_cast<const From*>(rows.data);
  for (std::int64_t k = 0; k < rows.count; ++k) {
    for (int i = 0; i < rows.rows; ++i) {
      reinterpret_cast<To*>(target + i * target_stride)[k] =
          Converted<To>(from[i * rows.row_stride + k * rows.step_stride]);
    }
  }
}

template <typename From>
void CopyFrom(const StridedRows& rows, DType to, std::int64_t target_stride, std::byte* target) {
  if (to == DType::kBFloat16) {
    Copy<From, BFloat16>(rows, target_stride, target);
  } else {
    Copy<From, float>(rows, target_stride, target);
  }
}

}  // namespace

void CopyStridedRows(const StridedRows& rows, DType to, std::int64_t target_stride,
                     std::byte* target) noexcept {
  if (to == DType::kFloat16) {
    Copy<Float16, Float16>(rows, target_stride, target);
  } else if (rows.dtype == DType::kFloat16) {
    CopyFrom<Float16>(rows, to, target_stride, target);
  } else if (rows.dtype == DType::kBFloat16) {
    CopyFrom<BFloat16>(rows, to, target_stride, target);
  } else {
    CopyFrom<float>(rows, to, target_stride, target);
  }
}

}  // namespace halftone
