// Vector loops of DynamicMatMul: rows of A to bytes, and sums to float32 results.
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/quantized/dynamic_product.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized/dynamic_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/quantized/byte_rounding-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

using Tag32 = ByteSumTag;
using TagF = ByteFloatTag;
using VecF = ByteFloatVec;

constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
constexpr std::int32_t kMagnitude = 0x7fffffff;  // of the bits of a float

// The largest magnitude, compared as bits: those of infinity and NaN are above those of numbers.
float LargestMagnitude(const float* x, std::int64_t count) {
  const Tag32 d;
  const TagF df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto mask = hn::Set(d, kMagnitude);
  const auto bits = [&](const float* at) {
    return hn::And(hn::BitCast(d, hn::LoadU(df, at)), mask);
  };
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  auto c = hn::Zero(d);
  auto e = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = hn::Max(a, bits(x + i));
    b = hn::Max(b, bits(x + i + lanes));
    c = hn::Max(c, bits(x + i + 2 * lanes));
    e = hn::Max(e, bits(x + i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes) {
    a = hn::Max(a, bits(x + i));
  }
  std::int32_t each[kMostLanes];
  hn::StoreU(hn::Max(hn::Max(a, b), hn::Max(c, e)), d, each);
  std::int32_t largest = 0;
  for (std::int64_t k = 0; k < lanes; ++k) {
    largest = each[k] > largest ? each[k] : largest;
  }
  for (; i < count; ++i) {
    const std::int32_t own = std::bit_cast<std::int32_t>(x[i]) & kMagnitude;
    largest = own > largest ? own : largest;
  }
  return std::bit_cast<float>(largest);
}

float QuantizeRow(const float* x, std::int64_t count, std::uint8_t* y) {
  const TagF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const RowScale scale = RowScaleOf(LargestMagnitude(x, count));
  if (scale.to_integers == 0) {
    std::memset(y, 128, static_cast<std::size_t>(count));
    return scale.from_integers;
  }
  const VecF factor = hn::Set(d, scale.to_integers);
  const ByteRounding rounding(128, 0);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const VecF v[4] = {hn::Mul(hn::LoadU(d, x + i), factor),
                       hn::Mul(hn::LoadU(d, x + i + lanes), factor),
                       hn::Mul(hn::LoadU(d, x + i + 2 * lanes), factor),
                       hn::Mul(hn::LoadU(d, x + i + 3 * lanes), factor)};
    rounding.Store(v, y + i);
  }
  for (; i + lanes <= count; i += lanes) {
    const VecF v[1] = {hn::Mul(hn::LoadU(d, x + i), factor)};
    rounding.Store(v, y + i);
  }
  if (i < count) {
    const auto left = static_cast<std::size_t>(count - i);
    float from[kMostLanes] = {};
    std::uint8_t to[kMostLanes];
    std::memcpy(from, x + i, left * sizeof(float));
    const VecF v[1] = {hn::Mul(hn::LoadU(d, from), factor)};
    rounding.Store(v, to);
    std::memcpy(y + i, to, left);
  }
  return scale.from_integers;
}

struct Terms {
  hn::Vec<Tag32> offset;
  VecF scale;
  VecF bias;
};

// A vector of results; `residual` has its elements, where there is one.
template <bool kBias, bool kEpilogue>
HWY_INLINE VecF ResultOf(const Epilogue& epilogue, const std::int32_t* sums, const Terms& terms,
                         VecF row_scale, const float* residual) {
  const Tag32 d;
  const TagF df;
  const auto sum = hn::Add(hn::LoadU(d, sums), terms.offset);
  VecF v = hn::Mul(hn::Mul(hn::ConvertTo(df, sum), terms.scale), row_scale);
  if constexpr (kBias) {
    v = hn::Add(v, terms.bias);
  }
  if constexpr (kEpilogue) {
    if (epilogue.residual == ResidualPlace::kBefore) {
      v = hn::Add(v, hn::LoadU(df, residual));
    }
    const VecF low = hn::Set(df, epilogue.range.low);
    const VecF high = hn::Set(df, epilogue.range.high);
    v = hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN
    v = hn::IfThenElse(hn::Gt(v, high), high, v);
    if (epilogue.residual == ResidualPlace::kAfter) {
      v = hn::Add(v, hn::LoadU(df, residual));
    }
  }
  return v;
}

template <bool kBias, bool kEpilogue>
void StoreRows(const DynamicResult& result, const Epilogue& epilogue, const ByteTileSums& tile) {
  const Tag32 d;
  const TagF df;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < tile.columns; j += lanes) {
    const std::int64_t column = tile.column + j;
    const Terms terms{.offset = hn::LoadU(d, result.offset + column),
                      .scale = hn::LoadU(df, result.column_scales + column),
                      .bias = kBias ? hn::LoadU(df, result.bias + column) : hn::Zero(df)};
    const int count = tile.columns - j;
    for (int i = 0; i < tile.rows; ++i) {
      const std::int64_t at = (tile.row + i) * result.columns + column;
      const std::int32_t* sums = tile.sums + i * tile.stride + j;
      const VecF row_scale = hn::Set(df, result.row_scales[tile.row + i]);
      const bool reads = kEpilogue && epilogue.residual != ResidualPlace::kNone;
      const float* residual = reads ? result.residual + at : nullptr;
      if (count >= lanes) {
        hn::StoreU(ResultOf<kBias, kEpilogue>(epilogue, sums, terms, row_scale, residual), df,
                   result.y + at);
        continue;
      }
      const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
      float addend[kMostLanes] = {};
      float rest[kMostLanes];
      if (reads) {
        std::memcpy(addend, residual, bytes);
      }
      hn::StoreU(ResultOf<kBias, kEpilogue>(epilogue, sums, terms, row_scale, addend), df, rest);
      std::memcpy(result.y + at, rest, bytes);
    }
  }
}

void StoreWith(const DynamicResult& result, const Epilogue& epilogue, const ByteTileSums& tile) {
  const bool any = epilogue.residual != ResidualPlace::kNone || epilogue.range.IsBounded();
  if (result.bias != nullptr) {
    return any ? StoreRows<true, true>(result, epilogue, tile)
               : StoreRows<true, false>(result, epilogue, tile);
  }
  return any ? StoreRows<false, true>(result, epilogue, tile)
             : StoreRows<false, false>(result, epilogue, tile);
}

void StoreTile(const DynamicResult& result, const ByteTileSums& tile) {
  const Epilogue& epilogue = *result.epilogue;
  if (epilogue.function == nullptr) {
    return StoreWith(result, epilogue, tile);
  }
  // What the function reads, then its results in place, then a residual behind it.
  Epilogue before;
  const bool is_after = epilogue.residual == ResidualPlace::kAfter;
  before.residual = is_after ? ResidualPlace::kNone : epilogue.residual;
  StoreWith(result, before, tile);
  for (int i = 0; i < tile.rows; ++i) {
    const std::int64_t at = (tile.row + i) * result.columns + tile.column;
    float* y = result.y + at;
    epilogue.function(y, y, tile.columns, epilogue.params);
    for (int j = 0; is_after && j < tile.columns; ++j) {
      y[j] = y[j] + result.residual[at + j];
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(QuantizeRow);
HWY_EXPORT(StoreTile);

}  // namespace

float QuantizeDynamicRow(const float* x, std::int64_t count, std::uint8_t* y) noexcept {
  return HWY_DYNAMIC_DISPATCH(QuantizeRow)(x, count, y);
}

void StoreDynamicTile(const void* source, const ByteTileSums& tile) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreTile)(*static_cast<const DynamicResult*>(source), tile);
}

}  // namespace halftone
#endif  // HWY_ONCE
