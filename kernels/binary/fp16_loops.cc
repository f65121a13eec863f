// This file alone is compiled for AVX512-FP16. It includes nothing with inline functions that the
// linker could share with files for lesser CPUs.
#include "kernels/binary/fp16_loops.h"

#include "kernels/float16_lanes.h"

#if HALFTONE_CAN(MULTIPLY_FLOAT16)

namespace halftone {
namespace {

__mmask32 IsNan(__m512h x) {
  const __m512i magnitude = _mm512_and_si512(_mm512_castph_si512(x), _mm512_set1_epi16(0x7fff));
  return _mm512_cmpgt_epi16_mask(magnitude, _mm512_set1_epi16(0x7c00));
}

// Below zero and not NaN: as integers, from 0x8001 up to 0xfc00, minus infinity.
__mmask32 IsNegative(__m512h x) {
  const __m512i bits = _mm512_castph_si512(x);
  return _mm512_cmpgt_epi16_mask(_mm512_set1_epi16(-1023), bits) &
         _mm512_cmpgt_epi16_mask(bits, _mm512_set1_epi16(-32768));
}

struct AddHalves {
  __m512h operator()(__m512h a, __m512h b) const { return _mm512_add_ph(a, b); }
};

struct SubHalves {
  __m512h operator()(__m512h a, __m512h b) const { return _mm512_sub_ph(a, b); }
};

struct MulHalves {
  __m512h operator()(__m512h a, __m512h b) const { return _mm512_mul_ph(a, b); }
};

struct DivHalves {
  __m512h operator()(__m512h a, __m512h b) const { return _mm512_div_ph(a, b); }
};

// The instructions give b where an operand is NaN or both are zero.
struct MaxHalves {
  __m512h operator()(__m512h a, __m512h b) const {
    return Select(IsNan(a), a, _mm512_max_ph(a, b));
  }
};

struct MinHalves {
  __m512h operator()(__m512h a, __m512h b) const {
    return Select(IsNan(a), a, _mm512_min_ph(a, b));
  }
};

struct PReluHalves {
  __m512h operator()(__m512h a, __m512h b) const {
    return Select(IsNegative(a), _mm512_mul_ph(a, b), a);
  }
};

// An operand of a run: contiguous, or one value for all.
template <bool kScalar>
struct Operand {
  explicit Operand(const void* from)
      : p(static_cast<const std::uint16_t*>(from)), value(HalvesOf(*p)) {}

  [[nodiscard]] __m512h At(std::int64_t i) const { return kScalar ? value : LoadHalves(p + i); }

  [[nodiscard]] __m512h FirstAt(std::int64_t i, __mmask32 there) const {
    return kScalar ? value : LoadHalves(p + i, there);
  }

  const std::uint16_t* p;
  __m512h value;
};

template <typename Op, bool kScalarA, bool kScalarB>
void Run(const BinaryRun& run) {
  const Op op;
  const Operand<kScalarA> a(run.a);
  const Operand<kScalarB> b(run.b);
  auto* const y = static_cast<std::uint16_t*>(run.y);
  std::int64_t i = 0;
  for (; i + 2 * kHalfLanes <= run.count; i += 2 * kHalfLanes) {
    const __m512h first = op(a.At(i), b.At(i));
    const __m512h second = op(a.At(i + kHalfLanes), b.At(i + kHalfLanes));
    StoreHalves(first, y + i);
    StoreHalves(second, y + i + kHalfLanes);
  }
  for (; i < run.count; i += kHalfLanes) {
    const __mmask32 there = FirstHalves(run.count - i);
    StoreHalves(op(a.FirstAt(i, there), b.FirstAt(i, there)), y + i, there);
  }
}

template <typename Op>
void Loop(const BinaryRun& run) {
  if (run.count == 0) {
    return;  // then operands may have no memory
  }
  if (run.a_step == 0) {
    Run<Op, true, false>(run);
  } else if (run.b_step == 0) {
    Run<Op, false, true>(run);
  } else {
    Run<Op, false, false>(run);
  }
}

struct LoopRow {
  OpKind op;
  BinaryLoop loop;
};

constexpr LoopRow kLoops[] = {
    {OpKind::kAdd, Loop<AddHalves>},     {OpKind::kSub, Loop<SubHalves>},
    {OpKind::kMul, Loop<MulHalves>},     {OpKind::kDiv, Loop<DivHalves>},
    {OpKind::kMax, Loop<MaxHalves>},     {OpKind::kMin, Loop<MinHalves>},
    {OpKind::kPRelu, Loop<PReluHalves>},
};

}  // namespace

BinaryLoop FindFloat16Loop(OpKind op) {
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

BinaryLoop FindFloat16Loop(OpKind) {
  return nullptr;
}

}  // namespace halftone

#endif
