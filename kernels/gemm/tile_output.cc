#include "kernels/gemm/tile_output.h"

#include <cstring>

#include "kernels/gemm/tile.h"
#include "src/ir/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/tile_output.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

constexpr int kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// One row of the tile. Columns from `output.columns` on are scratch and computed along.
template <typename T>
void StoreRow(const float* c, const TileOutput& output, const float* bias, T* y) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto alpha = hn::Set(d, output.alpha);
  const auto low = hn::Set(d, output.range.low);
  const auto high = hn::Set(d, output.range.high);
  HWY_ALIGN float bias_lanes[kMaxLanes] = {};
  for (int j = 0; j < output.columns; j += lanes) {
    const int count = output.columns - j < lanes ? output.columns - j : lanes;
    auto v = hn::Mul(alpha, hn::LoadU(d, c + j));
    if (bias != nullptr) {
      if (!output.bias_per_column) {
        v = hn::Add(v, hn::Set(d, *bias));
      } else if (count == lanes) {
        v = hn::Add(v, hn::LoadU(d, bias + j));
      } else {
        std::memcpy(bias_lanes, bias + j, static_cast<std::size_t>(count) * sizeof(float));
        v = hn::Add(v, hn::Load(d, bias_lanes));
      }
    }
    v = hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN, which passes
    v = hn::IfThenElse(hn::Gt(v, high), high, v);
    if (count == lanes) {
      StoreFloats(v, d, y + j);
    } else {
      T rest[kMaxLanes];
      StoreFloats(v, d, rest);
      std::memcpy(y + j, rest, static_cast<std::size_t>(count) * sizeof(T));
    }
  }
}

template <typename T>
void StoreRows(const float* c, const TileOutput& output) {
  for (int i = 0; i < output.rows; ++i) {
    const float* bias = output.bias != nullptr ? output.bias + i * output.bias_row : nullptr;
    StoreRow(c + i * kTileColumns, output, bias, static_cast<T*>(output.y) + i * output.row_stride);
  }
}

void StoreTileRows(const float* c, const TileOutput& output) {
  if (output.dtype == DType::kFloat16) {
    StoreRows<Float16>(c, output);
  } else if (output.dtype == DType::kBFloat16) {
    StoreRows<BFloat16>(c, output);
  } else {
    StoreRows<float>(c, output);
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

void StoreTile(const float* c, const TileOutput& output) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreTileRows)(c, output);
}

}  // namespace halftone
#endif  // HWY_ONCE
