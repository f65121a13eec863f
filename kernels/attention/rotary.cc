// RotaryEmbedding: rotates pairs of elements of each head by the angle of their position.
#include <algorithm>
#include <cstring>

#include "kernels/attention/attention.h"
#include "kernels/attention/rotary_loops.h"
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
  TurnRow turn = nullptr;  // of the dtypes that have one
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

// All elements of the rows [begin, end) of heads, one by one in double.
template <typename T>
void TurnExactly(const RotaryState& s, const KernelArgs& args, std::int64_t begin,
                 std::int64_t end) {
  const auto number = [](T x) {
    if constexpr (kIsHalf<T>) {
      return static_cast<double>(x.ToFloat());
    } else {
      return static_cast<double>(x);
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
      const double cos = number(static_cast<const T*>(args.inputs[1])[cache * s.half + k]);
      const double sin = number(static_cast<const T*>(args.inputs[2])[cache * s.half + k]);
      const std::int64_t first = s.interleaved ? 2 * k : k;
      const std::int64_t second = s.interleaved ? 2 * k + 1 : s.half + k;
      const double a = number(x[first]);
      const double c = number(x[second]);
      y[first] = ElementOf<T>(cos * a - sin * c);
      y[second] = ElementOf<T>(sin * a + cos * c);
    }
  }
}

// Turns places [begin, end) of images, with all their heads, in the order of memory.
void TurnPlaces(const RotaryState& s, const KernelArgs& args, std::int64_t begin,
                std::int64_t end) noexcept {
  const auto element = static_cast<std::int64_t>(SizeOf(s.dtype));
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  for (std::int64_t row = begin; row < end; ++row) {
    const bool rows = s.strides.head < s.strides.row;  // heads of a place side by side
    const std::int64_t inner = rows ? s.heads : s.length;
    const std::int64_t b = row / (s.length * s.heads);
    const std::int64_t outer = row / inner % (rows ? s.length : s.heads);
    const std::int64_t i = rows ? outer : row % inner;
    const std::int64_t at = s.strides.At(b, rows ? row % inner : outer, i) * element;
    const std::int64_t cache = CacheRow(s, args, b, i);
    const std::int64_t turned = cache >= 0 ? 2 * s.half : 0;
    if (turned > 0) {
      const std::int64_t angle = cache * s.half * element;
      s.turn({.x = x + at,
              .cos = static_cast<const std::byte*>(args.inputs[1]) + angle,
              .sin = static_cast<const std::byte*>(args.inputs[2]) + angle,
              .y = y + at,
              .pairs = s.half});
    }
    std::memcpy(y + at + turned * element, x + at + turned * element,
                static_cast<std::size_t>((s.size - turned) * element));
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
  if (IsTunable(state->dtype)) {
    state->turn = FindTurnRow(state->dtype, state->interleaved);
  }
  return state;
}

void RunRotary(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RotaryState&>(*args.state);
  const std::int64_t grain = std::max<std::int64_t>(1, 60'000 / std::max<std::int64_t>(s.size, 1));
  ParallelFor(s.batch * s.heads * s.length, grain,
              [&](std::int64_t begin, std::int64_t end) { TurnPlaces(s, args, begin, end); });
}

void RunRotaryReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RotaryState&>(*args.state);
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (kIsFloatElement<T>) {
      TurnExactly<T>(s, args, 0, s.batch * s.heads * s.length);
    }
  });
}

}  // namespace halftone
