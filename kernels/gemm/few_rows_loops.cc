#include "kernels/gemm/few_rows_loops.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/few_rows_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

// Vectors of columns that pass over k together.
constexpr int kVectors = 4;

// Columns [first, first + kVectors vectors) of kRows rows; in the last vector `rest` columns.
template <int kRows, int kWide, typename T>
HWY_INLINE void SumColumns(const FewRowsBlock& block, std::int64_t first, std::int64_t rest) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FloatVec sums[kRows][kWide];
  for (auto& row : sums) {
    for (auto& sum : row) {
      sum = hn::Zero(d);
    }
  }
  const T* b = static_cast<const T*>(block.b) + first;
  for (std::int64_t k = 0; k < block.k; ++k, b += block.b_stride) {
    FloatVec row_of_b[kWide];
    for (int v = 0; v + 1 < kWide; ++v) {
      row_of_b[v] = LoadFloats(d, b + v * lanes);
    }
    row_of_b[kWide - 1] = LoadCount(d, b + (kWide - 1) * lanes, rest);
    for (int i = 0; i < kRows; ++i) {
      const auto a = hn::Set(d, block.a[i * block.k + k]);
      for (int v = 0; v < kWide; ++v) {
        sums[i][v] = hn::MulAdd(a, row_of_b[v], sums[i][v]);
      }
    }
  }
  for (int i = 0; i < kRows; ++i) {
    float* to = block.sums + i * block.sums_stride + first;
    for (int v = 0; v + 1 < kWide; ++v) {
      hn::StoreU(sums[i][v], d, to + v * lanes);
    }
    StoreCount(d, sums[i][kWide - 1], to + (kWide - 1) * lanes, rest);
  }
}

template <int kRows, typename T>
void AlongRowsOf(const FewRowsBlock& block) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  std::int64_t j = 0;
  for (; j + kVectors * lanes <= block.columns; j += kVectors * lanes) {
    SumColumns<kRows, kVectors, T>(block, j, lanes);
  }
  for (; j < block.columns; j += lanes) {
    SumColumns<kRows, 1, T>(block, j, block.columns - j);
  }
}

// Two sums a row: a multiply-add takes as long as four to eight can be begun.
template <int kRows, typename T>
void AlongColumnsOf(const FewRowsBlock& block) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < block.columns; ++j) {
    const T* b = static_cast<const T*>(block.b) + j * block.b_stride;
    FloatVec sums[kRows][2];
    for (auto& row : sums) {
      row[0] = hn::Zero(d);
      row[1] = hn::Zero(d);
    }
    std::int64_t k = 0;
    for (; k + 2 * lanes <= block.k; k += 2 * lanes) {
      const auto b0 = LoadFloats(d, b + k);
      const auto b1 = LoadFloats(d, b + k + lanes);
      for (int i = 0; i < kRows; ++i) {
        const float* a = block.a + i * block.k + k;
        sums[i][0] = hn::MulAdd(hn::LoadU(d, a), b0, sums[i][0]);
        sums[i][1] = hn::MulAdd(hn::LoadU(d, a + lanes), b1, sums[i][1]);
      }
    }
    for (; k < block.k; k += lanes) {
      const auto b0 = LoadCount(d, b + k, block.k - k);
      for (int i = 0; i < kRows; ++i) {
        sums[i][0] =
            hn::MulAdd(LoadCount(d, block.a + i * block.k + k, block.k - k), b0, sums[i][0]);
      }
    }
    for (int i = 0; i < kRows; ++i) {
      block.sums[i * block.sums_stride + j] =
          hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[i][0], sums[i][1])));
    }
  }
}

template <typename T>
void AlongRows(const FewRowsBlock& block) {
  constexpr FewRowsLoop kLoops[kFewRows] = {AlongRowsOf<1, T>, AlongRowsOf<2, T>, AlongRowsOf<3, T>,
                                            AlongRowsOf<4, T>};
  kLoops[block.rows - 1](block);
}

template <typename T>
void AlongColumns(const FewRowsBlock& block) {
  constexpr FewRowsLoop kLoops[kFewRows] = {AlongColumnsOf<1, T>, AlongColumnsOf<2, T>,
                                            AlongColumnsOf<3, T>, AlongColumnsOf<4, T>};
  kLoops[block.rows - 1](block);
}

FewRowsLoop Find(DType dtype, bool by_column) {
  switch (dtype) {
    case DType::kFloat16:
      return by_column ? AlongColumns<Float16> : AlongRows<Float16>;
    case DType::kBFloat16:
      return by_column ? AlongColumns<BFloat16> : AlongRows<BFloat16>;
    default:
      return by_column ? AlongColumns<float> : AlongRows<float>;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Find);

}  // namespace

FewRowsLoop FindFewRowsLoop(DType dtype, bool by_column) {
  return HWY_DYNAMIC_DISPATCH(Find)(dtype, by_column);
}

}  // namespace halftone
#endif  // HWY_ONCE
