#include "kernels/tile/half_rows.h"

#include <cstring>

#include "kernels/cpu_isa.h"
#include "kernels/tile/avx512_to_bf16.h"
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile/half_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

constexpr std::int64_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// Converts whole vectors; the last one ends with the row and overlaps the one before. Rows shorter
// than a vector go through a buffer, so that no memory outside is read or written.
template <typename From, typename To>
void ConvertRow(const From* source, To* target, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto v0 = LoadFloats(d, source + i);
    const auto v1 = LoadFloats(d, source + i + lanes);
    const auto v2 = LoadFloats(d, source + i + 2 * lanes);
    const auto v3 = LoadFloats(d, source + i + 3 * lanes);
    StoreFloats(v0, d, target + i);
    StoreFloats(v1, d, target + i + lanes);
    StoreFloats(v2, d, target + i + 2 * lanes);
    StoreFloats(v3, d, target + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(LoadFloats(d, source + i), d, target + i);
  }
  if (i < count && count >= lanes) {
    StoreFloats(LoadFloats(d, source + count - lanes), d, target + count - lanes);
  } else if (i < count) {
    From in[kMaxLanes] = {};
    To out[kMaxLanes];
    std::memcpy(in, source, static_cast<std::size_t>(count) * sizeof(From));
    StoreFloats(LoadFloats(d, in), d, out);
    std::memcpy(target, out, static_cast<std::size_t>(count) * sizeof(To));
  }
}

template <typename From, typename To>
void ConvertRows(const RowBlock& block) {
  const auto* source = static_cast<const std::byte*>(block.source);
  auto* target = static_cast<std::byte*>(block.target);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    ConvertRow(reinterpret_cast<const From*>(source + row * block.source_pitch),
               reinterpret_cast<To*>(target + row * block.target_pitch), block.count);
  }
}

void WidenFloat16(const RowBlock& block) {
  ConvertRows<Float16, float>(block);
}

void WidenBFloat16(const RowBlock& block) {
  ConvertRows<BFloat16, float>(block);
}

void NarrowFloat(const RowBlock& block) {
  ConvertRows<float, BFloat16>(block);
}

void NarrowFloat16(const RowBlock& block) {
  ConvertRows<Float16, BFloat16>(block);
}

void NarrowFloatToFloat16(const RowBlock& block) {
  ConvertRows<float, Float16>(block);
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(WidenFloat16);
HWY_EXPORT(WidenBFloat16);
HWY_EXPORT(NarrowFloat);
HWY_EXPORT(NarrowFloat16);
HWY_EXPORT(NarrowFloatToFloat16);

// Rows without gaps are one long row.
RowBlock AsOneRow(const RowBlock& block, std::int64_t target_element) {
  const std::int64_t source_bytes = block.count * static_cast<std::int64_t>(SizeOf(block.from));
  if (block.source_pitch != source_bytes || block.target_pitch != block.count * target_element) {
    return block;
  }
  RowBlock row = block;
  row.count *= block.rows;
  row.rows = 1;
  return row;
}

void CopyRows(const RowBlock& block, std::int64_t element) {
  const auto* source = static_cast<const std::byte*>(block.source);
  auto* target = static_cast<std::byte*>(block.target);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    std::memcpy(target + row * block.target_pitch, source + row * block.source_pitch,
                static_cast<std::size_t>(block.count * element));
  }
}

}  // namespace

void WidenRows(const RowBlock& block) noexcept {
  if (block.count == 0) {
    return;  // then there may be no memory on either side
  }
  if (block.from == DType::kFloat16) {
    HWY_DYNAMIC_DISPATCH(WidenFloat16)(AsOneRow(block, sizeof(float)));
  } else if (block.from == DType::kBFloat16) {
    HWY_DYNAMIC_DISPATCH(WidenBFloat16)(AsOneRow(block, sizeof(float)));
  } else {
    CopyRows(block, sizeof(float));
  }
}

void NarrowRowsToBFloat16(const RowBlock& block) noexcept {
  if (block.count == 0) {
    return;
  }
  static const bool kNative = (DetectIsa() & kIsaAvx512Bf16) != 0;
  if (block.from == DType::kBFloat16) {
    CopyRows(block, sizeof(BFloat16));
  } else if (kNative) {
    Avx512ToBFloat16(AsOneRow(block, sizeof(BFloat16)));
  } else if (block.from == DType::kFloat16) {
    HWY_DYNAMIC_DISPATCH(NarrowFloat16)(AsOneRow(block, sizeof(BFloat16)));
  } else {
    HWY_DYNAMIC_DISPATCH(NarrowFloat)(AsOneRow(block, sizeof(BFloat16)));
  }
}

void WidenRow(DType from, const void* source, float* target, std::int64_t count) noexcept {
  WidenRows({.from = from, .source = source, .target = target, .count = count});
}

void NarrowRowToBFloat16(DType from, const void* source, BFloat16* target,
                         std::int64_t count) noexcept {
  NarrowRowsToBFloat16({.from = from, .source = source, .target = target, .count = count});
}

void NarrowRowsTo(DType to, const RowBlock& block) noexcept {
  if (to == DType::kBFloat16) {
    NarrowRowsToBFloat16(block);
  } else if (block.count != 0 && block.from == DType::kFloat16) {
    CopyRows(block, sizeof(Float16));
  } else if (block.count != 0) {
    HWY_DYNAMIC_DISPATCH(NarrowFloatToFloat16)(AsOneRow(block, sizeof(Float16)));
  }
}

void NarrowRowTo(DType to, DType from, const void* source, void* target,
                 std::int64_t count) noexcept {
  NarrowRowsTo(to, {.from = from, .source = source, .target = target, .count = count});
}

}  // namespace halftone
#endif  // HWY_ONCE
