#include "kernels/tile/tile_output.h"

#include <cstring>

#include "kernels/vector_targets.h"
#include "src/ir/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile/tile_output.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The order matters.
// clang-format off
#include "kernels/vector_storage-inl.h"
#include "kernels/tile/epilogue-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

constexpr int kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// alpha * c + bias of one vector; `count` of its columns are there.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> Scaled(const float* c, const TileOutput& output,
                                                  const float* bias, int j, int count) {
  const hn::ScalableTag<float> d;
  const auto v = hn::Mul(hn::Set(d, output.alpha), hn::LoadU(d, c + j));
  if (bias == nullptr) {
    return v;
  }
  return hn::Add(v, output.bias_per_column ? LoadUpTo(bias + j, static_cast<std::size_t>(count))
                                           : hn::Set(d, *bias));
}

// Operands of one row of the tile; null: none.
struct RowOperands {
  const float* bias;
  const float* slopes;
};

// One row of the tile. Columns from `output.columns` on are scratch and computed along.
template <ResidualPlace residual, bool kSloped, typename T>
void StoreRow(const float* c, const TileOutput& output, const RowOperands& row, const T* r, T* y) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < output.columns; j += lanes) {
    const int count = output.columns - j < lanes ? output.columns - j : lanes;
    const auto there = static_cast<std::size_t>(count);
    auto v = Scaled(c, output, row.bias, j, count);
    if constexpr (kSloped) {
      const auto slope =
          output.slopes_per_column ? LoadUpTo(row.slopes + j, there) : hn::Set(d, *row.slopes);
      v = FinishSloped<residual>(v, slope, r + j, there);
    } else {
      v = Finish<residual>(v, output.epilogue->range, r + j, there);
    }
    if (count == lanes) {
      StoreFloats(v, d, y + j);
    } else {
      T rest[kMaxLanes];
      StoreFloats(v, d, rest);
      std::memcpy(y + j, rest, static_cast<std::size_t>(count) * sizeof(T));
    }
  }
}

RowOperands OperandsOfRow(const TileOutput& output, int i) {
  return {output.bias != nullptr ? output.bias + i * output.bias_row : nullptr,
          output.slopes_per_column || output.slopes == nullptr ? output.slopes : output.slopes + i};
}

template <ResidualPlace residual, bool kSloped, typename T>
void StoreRows(const float* c, const TileOutput& output) {
  for (int i = 0; i < output.rows; ++i) {
    const T* r =
        static_cast<const T*>(residual == ResidualPlace::kNone ? output.y : output.residual);
    StoreRow<residual, kSloped>(c + i * output.c_stride, output, OperandsOfRow(output, i),
                                r + i * output.row_stride,
                                static_cast<T*>(output.y) + i * output.row_stride);
  }
}

template <ResidualPlace residual, typename T>
void StoreRows(const float* c, const TileOutput& output) {
  if (output.slopes != nullptr) {
    StoreRows<residual, true, T>(c, output);
  } else {
    StoreRows<residual, false, T>(c, output);
  }
}

// sums += r.
template <typename T>
void AddRow(const T* r, int columns, float* sums) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < columns; j += lanes) {
    const int count = columns - j < lanes ? columns - j : lanes;
    const auto v =
        hn::Add(hn::LoadU(d, sums + j), LoadUpTo(r + j, static_cast<std::size_t>(count)));
    hn::StoreU(v, d, sums + j);
  }
}

template <typename T>
void StoreTileAs(float* c, TileOutput output) {
  const Epilogue& epilogue = *output.epilogue;
  ResidualPlace residual = epilogue.residual;
  if (epilogue.function != nullptr) {
    TileOutput sums = output;  // in place: rows of the tile, and a residual of another type
    sums.epilogue = &kNoEpilogue;
    sums.y = c;
    sums.row_stride = output.c_stride;
    StoreRows<ResidualPlace::kNone, float>(c, sums);
    for (int i = 0; residual == ResidualPlace::kBefore && i < output.rows; ++i) {
      AddRow(static_cast<const T*>(output.residual) + i * output.row_stride, output.columns,
             c + i * output.c_stride);
    }
    const auto sums_there = static_cast<int>(output.rows * output.c_stride);
    epilogue.function(c, c, output.columns > sums_there ? output.columns : sums_there,
                      epilogue.params);
    output.alpha = 1.0F;
    output.bias = nullptr;
    residual = residual == ResidualPlace::kBefore ? ResidualPlace::kNone : residual;
  }
  switch (residual) {
    case ResidualPlace::kBefore:
      return StoreRows<ResidualPlace::kBefore, T>(c, output);
    case ResidualPlace::kAfter:
      return StoreRows<ResidualPlace::kAfter, T>(c, output);
    default:
      return StoreRows<ResidualPlace::kNone, T>(c, output);
  }
}

void StoreTileRows(float* c, const TileOutput& output) {
  if (output.dtype == DType::kFloat16) {
    StoreTileAs<Float16>(c, output);
  } else if (output.dtype == DType::kBFloat16) {
    StoreTileAs<BFloat16>(c, output);
  } else {
    StoreTileAs<float>(c, output);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(StoreTileRows);

}  // namespace

void StoreTile(float* c, const TileOutput& output) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreTileRows)(c, output);
}

}  // namespace halftone
#endif  // HWY_ONCE
