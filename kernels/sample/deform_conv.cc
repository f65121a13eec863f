#include <cmath>

#include "kernels/parallel.h"
#include "kernels/sample/sample.h"
#include "src/ir/window.h"

namespace halftone {
namespace {

struct DeformState final : KernelState {
  DType dtype = DType::kFloat32;
  Shape x;        // [N, C, H, W]
  Shape weights;  // [M, C / group, kh, kw]
  Shape y;        // [N, M, rows, columns]
  Window window;
  std::int64_t group = 1;
  std::int64_t offset_group = 1;
  bool has_bias = false;
  bool has_mask = false;

  [[nodiscard]] std::int64_t taps() const { return weights[2] * weights[3]; }
};

// One element of the result, and the positions of its operands.
struct Place {
  std::int64_t image = 0;
  std::int64_t channel = 0;  // of the result
  std::int64_t row = 0;
  std::int64_t column = 0;
};

double PixelAt(const DeformState& s, const void* x, std::int64_t plane, std::int64_t h,
               std::int64_t w) {
  return h >= 0 && h < s.x[2] && w >= 0 && w < s.x[3]
             ? DoubleAt(s.dtype, x, (plane * s.x[2] + h) * s.x[3] + w)
             : 0;
}

// Value at (h, w), interpolated between the four pixels around it; pixels outside are zero. A
// neighbour of weight zero is not read, so that an infinity beside a whole position does not make
// NaN.
double Interpolated(const DeformState& s, const void* x, std::int64_t plane, double h, double w) {
  if (!(h > -1 && h < static_cast<double>(s.x[2]) && w > -1 && w < static_cast<double>(s.x[3]))) {
    return 0;
  }
  const double top = std::floor(h);
  const double left = std::floor(w);
  const double down[2] = {1 - (h - top), h - top};
  const double across[2] = {1 - (w - left), w - left};
  double sum = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const double weight = down[i] * across[j];
      if (weight != 0) {
        sum += weight * PixelAt(s, x, plane, static_cast<std::int64_t>(top) + i,
                                static_cast<std::int64_t>(left) + j);
      }
    }
  }
  return sum;
}

double ElementAt(const DeformState& s, const KernelArgs& args, const Place& at) {
  const std::int64_t depth = s.weights[1];
  const std::int64_t first = at.channel / (s.weights[0] / s.group) * depth;
  const std::int64_t area = s.y[2] * s.y[3];
  const std::int64_t pixel = at.row * s.y[3] + at.column;
  double sum = s.has_bias ? DoubleAt(s.dtype, args.inputs[3], at.channel) : 0;
  for (std::int64_t c = first; c < first + depth; ++c) {
    const std::int64_t part = at.image * s.offset_group + c / (s.x[1] / s.offset_group);
    for (std::int64_t tap = 0; tap < s.taps(); ++tap) {
      const std::int64_t moved = part * s.taps() + tap;
      const auto offset = [&](std::int64_t axis) {
        return DoubleAt(s.dtype, args.inputs[2], (moved * 2 + axis) * area + pixel);
      };
      const std::int64_t h = at.row * s.window.stride[0] - s.window.pad_begin[0] +
                             tap / s.weights[3] * s.window.dilation[0];
      const std::int64_t w = at.column * s.window.stride[1] - s.window.pad_begin[1] +
                             tap % s.weights[3] * s.window.dilation[1];
      const double value =
          Interpolated(s, args.inputs[0], at.image * s.x[1] + c, static_cast<double>(h) + offset(0),
                       static_cast<double>(w) + offset(1));
      const double mask =
          s.has_mask ? DoubleAt(s.dtype, args.inputs[4], moved * area + pixel) : 1.0;
      sum += value * mask *
             DoubleAt(s.dtype, args.inputs[1], (at.channel * depth + c - first) * s.taps() + tap);
    }
  }
  return sum;
}

}  // namespace

std::unique_ptr<KernelState> PrepareDeformConv(const KernelQuery& query) {
  auto state = std::make_unique<DeformState>();
  state->dtype = query.inputs.at(0)->dtype;
  state->x = query.inputs[0]->shape;
  state->weights = query.inputs.at(1)->shape;
  state->y = query.outputs.at(0)->shape;
  state->window = WindowOf(*query.attributes, state->x, {state->weights[2], state->weights[3]});
  state->group = query.attributes->Int("group", 1);
  state->offset_group = query.attributes->Int("offset_group", 1);
  state->has_bias = query.Input(3) != nullptr;
  state->has_mask = query.Input(4) != nullptr;
  return state;
}

void RunDeformConv(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const DeformState&>(*args.state);
  const std::int64_t terms = s.weights[1] * s.taps() + 1;
  // About 20 ns a term.
  ParallelFor(s.y.ElementCount(), 1'250 / terms + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Place at{.image = i / (s.y[1] * s.y[2] * s.y[3]),
                     .channel = i / (s.y[2] * s.y[3]) % s.y[1],
                     .row = i / s.y[3] % s.y[2],
                     .column = i % s.y[3]};
      StoreDouble(s.dtype, args.outputs[0], i, ElementAt(s, args, at));
    }
  });
}

}  // namespace halftone
