// This file alone is compiled for AVX512-FP16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/unary/fp16_loops.h"

#include "kernels/float16_lanes.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)

namespace halftone {
namespace {

template <int kRounding>
struct RoundHalves {
  explicit RoundHalves(const UnaryParams& /*params*/) {}

  __m512h operator()(__m512h x) const {
    return _mm512_roundscale_ph(x, kRounding | _MM_FROUND_NO_EXC);
  }
};

struct SqrtHalves {
  explicit SqrtHalves(const UnaryParams& /*params*/) {}

  __m512h operator()(__m512h x) const { return _mm512_sqrt_ph(x); }
};

struct ReciprocalHalves {
  explicit ReciprocalHalves(const UnaryParams& /*params*/) {}

  __m512h operator()(__m512h x) const { return _mm512_div_ph(HalvesOf(0x3c00), x); }
};

// The instructions give the second operand where one is NaN: x stays.
struct ClipHalves {
  explicit ClipHalves(const UnaryParams& params)
      : low(RoundedHalves(params.a)), high(RoundedHalves(params.b)) {}

  __m512h operator()(__m512h x) const { return _mm512_min_ph(high, _mm512_max_ph(low, x)); }

  __m512h low;
  __m512h high;
};

template <typename Op>
void Loop(const void* from, void* to, std::int64_t count, const UnaryParams& params) {
  const Op op(params);
  const auto* x = static_cast<const std::uint16_t*>(from);
  auto* y = static_cast<std::uint16_t*>(to);
  std::int64_t i = 0;
  for (; i + 2 * kHalfLanes <= count; i += 2 * kHalfLanes) {
    const __m512h first = op(LoadHalves(x + i));
    const __m512h second = op(LoadHalves(x + i + kHalfLanes));
    StoreHalves(first, y + i);
    StoreHalves(second, y + i + kHalfLanes);
  }
  for (; i < count; i += kHalfLanes) {
    const __mmask32 there = FirstHalves(count - i);
    StoreHalves(op(LoadHalves(x + i, there)), y + i, there);
  }
}

struct LoopRow {
  OpKind op;
  UnaryLoop loop;
};

constexpr LoopRow kLoops[] = {
    {OpKind::kCeil, Loop<RoundHalves<_MM_FROUND_TO_POS_INF>>},
    {OpKind::kClip, Loop<ClipHalves>},
    {OpKind::kFloor, Loop<RoundHalves<_MM_FROUND_TO_NEG_INF>>},
    {OpKind::kReciprocal, Loop<ReciprocalHalves>},
    {OpKind::kRound, Loop<RoundHalves<_MM_FROUND_TO_NEAREST_INT>>},
    {OpKind::kSqrt, Loop<SqrtHalves>},
};

}  // namespace

UnaryLoop FindFloat16UnaryLoop(OpKind op) {
  for (const LoopRow& row : kLoops) {
    if (row.op == op) {
      return row.loop;
    }
  }
  return nullptr;
}

}  // namespace halftone

#else

namespace halftone {

UnaryLoop FindFloat16UnaryLoop(OpKind) {
  return nullptr;
}

}  // namespace halftone

#endif
