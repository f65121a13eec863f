// RotaryEmbedding: pairs of elements of each head turned by the angle of their position.
#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/elements.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

struct RotaryState final : KernelState {
  DType dtype = DType::kFloat32;
  HeadStrides strides;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t length = 0;
  std::int64_t size = 0;
  std::int64_t half = 0;       // pairs
  std::int64_t positions = 0;  // rows of the caches
  bool interleaved = false;    // pairs (0, 1), (2, 3), ..., else (i, half + i)
  bool indexed = false;
};

// The row of the caches for one place; -1: outside, which leaves the elements as they are.
std::int64_t CacheRow(const RotaryState& s, const KernelArgs& args, std::int64_t b,
                      std::int64_t i) {
  const std::int64_t place = b * s.length + i;
  if (!s.indexed) {
    return place;
  }
  const std::int64_t row = static_cast<const std::int64_t*>(args.inputs[3])[place];
  return row >= 0 && row < s.positions ? row : -1;
}

template <typename T, typename Number>
void Turn(const RotaryState& s, const KernelArgs& args, std::int64_t begin, std::int64_t end) {
  const auto number = [](T x) {
    if constexpr (kIsHalf<T>) {
      return static_cast<Number>(x.ToFloat());
    } else {
      return static_cast<Number>(x);
    }
  };
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t b = row / s.length / s.heads;
    const std::int64_t i = row % s.length;
    const std::int64_t at = s.strides.At(b, row / s.length % s.heads, i);
    const T* x = static_cast<const T*>(args.inputs[0]) + at;
    T* y = static_cast<T*>(args.outputs[0]) + at;
    const std::int64_t cache = CacheRow(s, args, b, i);
    std::copy_n(x, s.size, y);
    for (std::int64_t k = 0; cache >= 0 && k < s.half; ++k) {
      const Number cos = number(static_cast<const T*>(args.inputs[1])[cache * s.half + k]);
      const Number sin = number(static_cast<const T*>(args.inputs[2])[cache * s.half + k]);
      const std::int64_t first = s.interleaved ? 2 * k : k;
      const std::int64_t second = s.interleaved ? 2 * k + 1 : s.half + k;
      const Number a = number(x[first]);
      const Number c = number(x[second]);
      y[first] = ElementOf<T>(cos * a - sin * c);
      y[second] = ElementOf<T>(sin * a + cos * c);
    }
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareRotary(const KernelQuery& query) {
  auto state = std::make_unique<RotaryState>();
  const TensorType& x = *query.inputs.at(0);
  const Shape& cache = query.inputs.at(1)->shape;
  const bool four = x.shape.rank() == 4;
  state->dtype = x.dtype;
  state->batch = x.shape[0];
  state->heads = four ? x.shape[1] : query.attributes->Int("num_heads", 1);
  state->length = x.shape[four ? 2 : 1];
  state->size = four ? x.shape[3] : x.shape[2] / state->heads;
  state->strides =
      four ? HeadStrides{x.shape[1] * x.shape[2] * x.shape[3], x.shape[2] * x.shape[3], x.shape[3]}
           : HeadStrides{x.shape[1] * x.shape[2], state->size, x.shape[2]};
  state->half = cache[cache.rank() - 1];
  state->indexed = query.Input(3) != nullptr;
  state->positions = cache[0];
  state->interleaved = query.attributes->Int("interleaved", 0) != 0;
  return state;
}

void RunRotary(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RotaryState&>(*args.state);
  const std::int64_t grain = std::max<std::int64_t>(1, 12'000 / std::max<std::int64_t>(s.size, 1));
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (kIsHalf<T> || std::is_same_v<T, float>) {
      ParallelFor(s.batch * s.heads * s.length, grain, [&](std::int64_t begin, std::int64_t end) {
        Turn<T, float>(s, args, begin, end);
      });
    }
  });
}

void RunRotaryReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RotaryState&>(*args.state);
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (kIsFloatElement<T>) {
      Turn<T, double>(s, args, 0, s.batch * s.heads * s.length);
    }
  });
}

}  // namespace halftone
