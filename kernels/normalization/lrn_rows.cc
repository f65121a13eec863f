#include "kernels/normalization/lrn_rows.h"

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/lrn_rows.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>

#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kBlock = 256;  // channels whose squares lie in L1 at a time

struct Half {
  static FloatVec Power(FloatVec s) { return hn::Sqrt(s); }
};

struct ThreeQuarters {
  static FloatVec Power(FloatVec s) {
    const FloatVec root = hn::Sqrt(s);
    return hn::Mul(root, hn::Sqrt(root));
  }
};

struct One {
  static FloatVec Power(FloatVec s) { return s; }
};

template <typename Exponent>
FloatVec Normalized(FloatTag d, const LrnCall& call, FloatVec x, FloatVec squares) {
  const FloatVec s = hn::MulAdd(squares, hn::Set(d, static_cast<float>(call.factor)),
                                hn::Set(d, static_cast<float>(call.bias)));
  return hn::Div(x, Exponent::Power(s));
}

// `count` pixels with all their channels, which lie `inner` apart.
template <typename T, typename Exponent>
void Planes(const LrnCall& call, const T* x, T* y, std::int64_t count) {
  const FloatTag d;
  for (std::int64_t c = 0; c < call.channels; ++c) {
    const std::int64_t last = std::min(call.channels - 1, c + call.above);
    FloatVec squares = hn::Zero(d);
    for (std::int64_t k = std::max<std::int64_t>(0, c - call.below); k <= last; ++k) {
      const FloatVec value = LoadCount(d, x + k * call.inner, count);
      squares = hn::MulAdd(value, value, squares);
    }
    const FloatVec value = LoadCount(d, x + c * call.inner, count);
    StoreCount(d, Normalized<Exponent>(d, call, value, squares), y + c * call.inner, count);
  }
}

// One pixel whose channels lie side by side.
template <typename T, typename Exponent>
void Pixel(const LrnCall& call, const T* x, T* y) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  float squares[kBlock + 2 * kMostLrnWindow + static_cast<std::int64_t>(2 * kMaxLanes)];
  for (std::int64_t block = 0; block < call.channels; block += kBlock) {
    const std::int64_t end = std::min(call.channels, block + kBlock);
    const std::int64_t first = std::max<std::int64_t>(0, block - call.below);
    const std::int64_t last = std::min(call.channels, end + call.above);
    // squares[i] is of channel block - below + i; 0 where there is none.
    const std::int64_t missing = call.below - (block - first);
    std::fill_n(squares, missing, 0.0F);
    float* const known = squares + missing;
    for (std::int64_t c = first; c < last; c += lanes) {
      const FloatVec value = LoadCount(d, x + c, last - c);
      hn::StoreU(hn::Mul(value, value), d, known + (c - first));
    }
    std::fill_n(known + (last - first), call.above + lanes, 0.0F);
    for (std::int64_t c = block; c < end; c += lanes) {
      FloatVec sum = hn::Zero(d);
      for (std::int64_t k = 0; k <= call.below + call.above; ++k) {
        sum = hn::Add(sum, hn::LoadU(d, squares + (c - block) + k));
      }
      const FloatVec value = LoadCount(d, x + c, end - c);
      StoreCount(d, Normalized<Exponent>(d, call, value, sum), y + c, end - c);
    }
  }
}

template <typename T, typename Exponent>
void Pixels(const LrnCall& call, const void* from, void* to, std::int64_t begin, std::int64_t end) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (call.channels_last) {
    for (std::int64_t at = begin; at < end; ++at) {
      Pixel<T, Exponent>(call, x + at * call.channels, y + at * call.channels);
    }
    return;
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  while (begin < end) {
    const std::int64_t in_image = begin % call.inner;
    const std::int64_t count = std::min({lanes, end - begin, call.inner - in_image});
    const std::int64_t offset = (begin - in_image) * call.channels + in_image;
    Planes<T, Exponent>(call, x + offset, y + offset, count);
    begin += count;
  }
}

template <typename T>
void PixelsOf(const LrnCall& call, const void* x, void* y, std::int64_t begin, std::int64_t end) {
  if (call.beta == 0.75) {
    return Pixels<T, ThreeQuarters>(call, x, y, begin, end);
  }
  return call.beta == 0.5 ? Pixels<T, Half>(call, x, y, begin, end)
                          : Pixels<T, One>(call, x, y, begin, end);
}

void Run(const LrnCall& call, const void* x, void* y, std::int64_t begin, std::int64_t end) {
  switch (call.dtype) {
    case DType::kFloat16:
      return PixelsOf<Float16>(call, x, y, begin, end);
    case DType::kBFloat16:
      return PixelsOf<BFloat16>(call, x, y, begin, end);
    default:
      return PixelsOf<float>(call, x, y, begin, end);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Run);

}  // namespace

bool HasLrnRows(double beta) {
  return beta == 0.5 || beta == 0.75 || beta == 1;
}

void RunLrnPixels(const LrnCall& call, const void* x, void* y, std::int64_t begin,
                  std::int64_t end) noexcept {
  HWY_DYNAMIC_DISPATCH(Run)(call, x, y, begin, end);
}

}  // namespace halftone
#endif  // HWY_ONCE
