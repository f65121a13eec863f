#include "kernels/onednn/finish.h"

#include <algorithm>
#include <type_traits>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/onednn/finish.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
// The order matters.
// clang-format off
#include "kernels/vector_storage-inl.h"
#include "kernels/tile/epilogue-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Elements that a function works on at once, in the L1.
constexpr std::int64_t kBlock = 1024;

// to[i] = round(residual and clamp of from[i]).
template <ResidualPlace residual, typename From, typename To>
void FinishRow(const From* from, const To* r, To* to, std::int64_t count,
               const ActivationRange& range) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(Finish<residual>(LoadFloats(d, from + i), range, r + i, hn::Lanes(d)), d, to + i);
  }
  if (i < count) {
    const auto rest = static_cast<std::size_t>(count - i);
    StoreFirst(Finish<residual>(LoadUpTo(from + i, rest), range, r + i, rest), d, to + i, rest);
  }
}

template <typename From, typename To>
void FinishRow(ResidualPlace residual, const From* from, const To* r, To* to, std::int64_t count,
               const ActivationRange& range) {
  switch (residual) {
    case ResidualPlace::kBefore:
      return FinishRow<ResidualPlace::kBefore>(from, r, to, count, range);
    case ResidualPlace::kAfter:
      return FinishRow<ResidualPlace::kAfter>(from, r, to, count, range);
    default:
      return FinishRow<ResidualPlace::kNone>(from, static_cast<const To*>(to), to, count, range);
  }
}

// to[i] = round(residual and PRelu of from[i]), one row.
template <ResidualPlace residual, typename To>
void SlopeRow(const float* from, const To* r, To* to, std::int64_t count, const float* slopes) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto slope = LoadFloats(d, slopes + i);
    StoreFloats(FinishSloped<residual>(LoadFloats(d, from + i), slope, r + i, hn::Lanes(d)), d,
                to + i);
  }
  if (i < count) {
    const auto rest = static_cast<std::size_t>(count - i);
    const auto slope = LoadUpTo(slopes + i, rest);
    StoreFirst(FinishSloped<residual>(LoadUpTo(from + i, rest), slope, r + i, rest), d, to + i,
               rest);
  }
}

template <typename To>
void SlopeRows(const FinishCall& call, ResidualPlace residual) {
  const auto* from = static_cast<const float*>(call.source);
  To* to = static_cast<To*>(call.target);
  const To* r = residual == ResidualPlace::kNone ? to : static_cast<const To*>(call.residual);
  for (std::int64_t i = 0; i < call.count; i += call.row) {
    switch (residual) {
      case ResidualPlace::kBefore:
        SlopeRow<ResidualPlace::kBefore>(from + i, r + i, to + i, call.row, call.slopes);
        break;
      case ResidualPlace::kAfter:
        SlopeRow<ResidualPlace::kAfter>(from + i, r + i, to + i, call.row, call.slopes);
        break;
      default:
        SlopeRow<ResidualPlace::kNone>(from + i, r + i, to + i, call.row, call.slopes);
    }
  }
}

// Applies an activation that is a function, block by block in float32.
template <typename To>
void Activate(const float* from, const To* r, To* to, std::int64_t count,
              const Epilogue& epilogue) {
  if constexpr (std::is_same_v<To, float>) {
    if (epilogue.residual == ResidualPlace::kNone) {
      epilogue.function(from, to, count, epilogue.params);
      return;
    }
  }
  HWY_ALIGN float block[kBlock];
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool before = epilogue.residual == ResidualPlace::kBefore;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, count - begin);
    for (std::int64_t i = 0; i < size; i += lanes) {
      const auto there = static_cast<std::size_t>(std::min(lanes, size - i));
      auto v = LoadUpTo(from + begin + i, there);
      if (before) {
        v = hn::Add(v, LoadUpTo(r + begin + i, there));
      }
      hn::Store(v, d, block + i);
    }
    epilogue.function(block, block, size, epilogue.params);
    FinishRow(before ? ResidualPlace::kNone : epilogue.residual, block,
              r == nullptr ? r : r + begin, to + begin, size, epilogue.range);
  }
}

template <typename To>
void FinishDense(const FinishCall& call, const Epilogue& epilogue) {
  const To* r = static_cast<const To*>(call.residual);
  To* to = static_cast<To*>(call.target);
  if (call.source_dtype != DType::kFloat32) {
    FinishRow(ResidualPlace::kNone, static_cast<const To*>(call.source), r, to, call.count,
              epilogue.range);
  } else if (call.slopes != nullptr) {
    SlopeRows<To>(call, epilogue.residual);
  } else if (epilogue.function != nullptr) {
    Activate(static_cast<const float*>(call.source), r, to, call.count, epilogue);
  } else {
    FinishRow(epilogue.residual, static_cast<const float*>(call.source), r, to, call.count,
              epilogue.range);
  }
}

// Rows that lie apart. A function is called for a block of them, since a call for few elements
// takes longer than they do.
template <typename To>
void FinishStridedRows(const FinishCall& call, const Epilogue& epilogue) {
  HWY_ALIGN To block[kBlock];
  const bool gathers = epilogue.function != nullptr && 2 * call.row <= kBlock;
  const std::int64_t at_once = gathers ? kBlock / call.row : 1;
  const auto source_bytes = static_cast<std::int64_t>(SizeOf(call.source_dtype));
  const auto* residual = static_cast<const To*>(call.residual);
  FinishCall part = call;
  To* to = static_cast<To*>(call.target);
  for (std::int64_t i = 0; i < call.count; i += part.count) {
    part.count = std::min(at_once * call.row, call.count - i);
    part.source = static_cast<const std::byte*>(call.source) + i * source_bytes;
    part.residual = residual != nullptr ? residual + i : nullptr;
    part.target = gathers ? block : to;
    FinishDense<To>(part, epilogue);
    for (std::int64_t done = 0; done < part.count; done += call.row, to += call.row_stride) {
      if (gathers) {
        std::copy_n(block + done, call.row, to);
      }
    }
  }
}

template <typename To>
void FinishTo(const FinishCall& call, const Epilogue& epilogue) {
  call.row_stride == 0 ? FinishDense<To>(call, epilogue) : FinishStridedRows<To>(call, epilogue);
}

void FinishAll(const FinishCall& call, const Epilogue& epilogue) {
  if (call.dtype == DType::kFloat16) {
    FinishTo<Float16>(call, epilogue);
  } else if (call.dtype == DType::kBFloat16) {
    FinishTo<BFloat16>(call, epilogue);
  } else {
    FinishTo<float>(call, epilogue);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(FinishAll);

}  // namespace

DType LibraryResultOf(const Epilogue& epilogue, DType result) {
  return epilogue.IsClamp() ? result : DType::kFloat32;
}

void RunEpilogue(const FinishCall& call, const Epilogue& epilogue) noexcept {
  HWY_DYNAMIC_DISPATCH(FinishAll)(call, epilogue);
}

}  // namespace halftone
#endif  // HWY_ONCE
