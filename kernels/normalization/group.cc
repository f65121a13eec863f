#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/normalization/affine_rows.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "kernels/tile/half_rows.h"

namespace halftone {
namespace {

struct GroupState final : KernelState {
  DType dtype = DType::kFloat32;
  AffineLoops loops;
  std::int64_t groups = 1;    // of all images
  std::int64_t own = 1;       // groups of an image
  std::int64_t channels = 1;  // of a group
  std::int64_t pixels = 1;
  double epsilon = 1e-5;
  TensorType scale;
  TensorType bias;
};

struct Statistics {
  double mean = 0;
  double inverse = 1;
};

// The value of an operand for channel `c` of group `g`, both counted in the image.
double Operand(const GroupState& s, const TensorType& type, const void* data, std::int64_t g,
               std::int64_t c) {
  const bool per_channel = type.shape[0] == s.own * s.channels;
  return DoubleAt(type.dtype, data, per_channel ? g * s.channels + c : g);
}

// Calls body(values, count) for pieces of a row, widened to float32.
template <typename Body>
void ForEachPiece(DType dtype, const std::byte* x, std::int64_t length, const Body& body) {
  constexpr std::int64_t kPiece = 512;
  std::array<float, kPiece> piece{};
  const auto element = static_cast<std::int64_t>(SizeOf(dtype));
  for (std::int64_t first = 0; first < length; first += kPiece) {
    const std::int64_t count = std::min(kPiece, length - first);
    WidenRow(dtype, x + first * element, piece.data(), count);
    body(piece.data(), count);
  }
}

// sum f(x) in double, eight sums side by side so that they fit vectors.
template <typename Function>
double Sum(DType dtype, const std::byte* x, std::int64_t length, const Function& f) {
  std::array<double, 8> sums{};
  ForEachPiece(dtype, x, length, [&](const float* values, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
      for (std::size_t k = 0; k < 8; ++k) {
        sums[k] += f(static_cast<double>(values[i + static_cast<std::int64_t>(k)]));
      }
    }
    for (; i < count; ++i) {
      sums[0] += f(static_cast<double>(values[i]));
    }
  });
  double sum = 0;
  for (const double part : sums) {
    sum += part;
  }
  return sum;
}

Statistics StatisticsOf(const GroupState& s, const std::byte* x) {
  const std::int64_t length = s.channels * s.pixels;
  const auto count = static_cast<double>(length);
  const double mean = Sum(s.dtype, x, length, [](double v) { return v; }) / count;
  const double squares =
      Sum(s.dtype, x, length, [mean](double v) { return (v - mean) * (v - mean); });
  return {mean, 1 / std::sqrt(squares / count + s.epsilon)};
}

}  // namespace

std::unique_ptr<KernelState> PrepareGroup(const KernelQuery& query) {
  auto state = std::make_unique<GroupState>();
  const TensorType& x = *query.inputs.at(0);
  state->dtype = x.dtype;
  state->loops = IsTunable(x.dtype) ? FindAffineLoops(x.dtype) : AffineLoops{};
  state->own = query.attributes->Int("num_groups", 1);
  state->groups = x.shape[0] * state->own;
  state->channels = x.shape[1] / state->own;
  state->pixels = x.shape.ElementCount(2, x.shape.rank());
  state->epsilon = query.attributes->Float("epsilon", 1e-5F);
  state->scale = *query.inputs.at(1);
  state->bias = *query.inputs.at(2);
  return state;
}

void RunGroup(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const GroupState&>(*args.state);
  const std::int64_t plane = s.pixels * static_cast<std::int64_t>(SizeOf(s.dtype));
  const std::int64_t length = s.channels * s.pixels;
  const std::int64_t grain = std::max<std::int64_t>(1, 50'000 / std::max<std::int64_t>(length, 1));
  ParallelFor(s.groups, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
      const auto* x = static_cast<const std::byte*>(args.inputs[0]) + group * s.channels * plane;
      auto* y = static_cast<std::byte*>(args.outputs[0]) + group * s.channels * plane;
      const Statistics statistics = StatisticsOf(s, x);
      for (std::int64_t c = 0; c < s.channels; ++c) {
        const std::int64_t g = group % s.own;
        const double factor = Operand(s, s.scale, args.inputs[1], g, c) * statistics.inverse;
        const double term = Operand(s, s.bias, args.inputs[2], g, c) - statistics.mean * factor;
        s.loops.plane({.x = x + c * plane,
                       .y = y + c * plane,
                       .count = s.pixels,
                       .factor = static_cast<float>(factor),
                       .term = static_cast<float>(term)});
      }
    }
  });
}

void RunGroupReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const GroupState&>(*args.state);
  const std::int64_t length = s.channels * s.pixels;
  for (std::int64_t group = 0; group < s.groups; ++group) {
    const auto at = [&](std::int64_t i) {
      return DoubleAt(s.dtype, args.inputs[0], group * length + i);
    };
    double mean = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      mean += at(i) / static_cast<double>(length);
    }
    double variance = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      variance += (at(i) - mean) * (at(i) - mean) / static_cast<double>(length);
    }
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t c = i / s.pixels;
      StoreDouble(s.dtype, args.outputs[0], group * length + i,
                  (at(i) - mean) / std::sqrt(variance + s.epsilon) *
                          Operand(s, s.scale, args.inputs[1], group % s.own, c) +
                      Operand(s, s.bias, args.inputs[2], group % s.own, c));
    }
  }
}

}  // namespace halftone
