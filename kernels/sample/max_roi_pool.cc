#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/sample/sample.h"

namespace halftone {
namespace {

struct PoolState final : KernelState {
  DType dtype = DType::kFloat32;
  DType roi_dtype = DType::kFloat32;  // or double
  std::int64_t images = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t rows = 1;  // of the result
  std::int64_t columns = 1;
  std::int64_t rois = 0;
  double scale = 1;
};

// First pixel of a region along one axis, and its number of pixels.
struct Span {
  std::int64_t first = 0;
  std::int64_t length = 1;
};

// Pixels [begin, end) that part `part` of `parts` covers: floor and ceil of exact fractions, so
// that neighbouring parts share the pixels that lie in both.
struct Pixels {
  Pixels(const Span& span, std::int64_t part, std::int64_t parts, std::int64_t extent)
      : begin(std::clamp(span.first + part * span.length / parts, std::int64_t{0}, extent)),
        end(std::clamp(span.first + ((part + 1) * span.length + parts - 1) / parts, std::int64_t{0},
                       extent)) {}

  std::int64_t begin;
  std::int64_t end;
};

// A coordinate in pixels, half away from zero; beyond 2^30 (and for NaN) its nearest end.
std::int64_t PixelOf(double x) {
  constexpr double kMost = 0x1p30;
  return static_cast<std::int64_t>(std::isnan(x) ? -kMost
                                                 : std::clamp(std::round(x), -kMost, kMost));
}

Span SpanOf(const PoolState& s, const void* rois, std::int64_t low, std::int64_t high) {
  const std::int64_t first = PixelOf(DoubleAt(s.roi_dtype, rois, low) * s.scale);
  const std::int64_t last = PixelOf(DoubleAt(s.roi_dtype, rois, high) * s.scale);
  return {first, std::max(last - first + 1, std::int64_t{1})};
}

// The greatest element of a part; NaN where it has one, 0 where it has no pixel.
double Greatest(const PoolState& s, const void* x, std::int64_t plane, const Pixels& rows,
                const Pixels& columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) {
    return 0;
  }
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t h = rows.begin; h < rows.end; ++h) {
    for (std::int64_t w = columns.begin; w < columns.end; ++w) {
      const double value = DoubleAt(s.dtype, x, (plane * s.height + h) * s.width + w);
      most = std::isnan(value) || value > most ? value : most;
    }
  }
  return most;
}

}  // namespace

std::unique_ptr<KernelState> PrepareMaxRoiPool(const KernelQuery& query) {
  auto state = std::make_unique<PoolState>();
  const TensorType& x = *query.inputs.at(0);
  const Shape& y = query.outputs.at(0)->shape;
  state->dtype = x.dtype;
  state->roi_dtype = query.inputs.at(1)->dtype;
  state->images = x.shape[0];
  state->channels = x.shape[1];
  state->height = x.shape[2];
  state->width = x.shape[3];
  state->rois = y[0];
  state->rows = y[2];
  state->columns = y[3];
  state->scale = query.attributes->Float("spatial_scale", 1.0F);
  return state;
}

// A region of an image that is not there gives zeros.
void RunMaxRoiPool(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PoolState&>(*args.state);
  const std::int64_t parts = s.rows * s.columns;
  ParallelFor(s.rois * s.channels, 100, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t roi = i / s.channels * 5;
      const double image = DoubleAt(s.roi_dtype, args.inputs[1], roi);
      const bool known = image >= 0 && image < static_cast<double>(s.images);
      const std::int64_t plane =
          known ? static_cast<std::int64_t>(image) * s.channels + i % s.channels : 0;
      const Span across = SpanOf(s, args.inputs[1], roi + 1, roi + 3);
      const Span down = SpanOf(s, args.inputs[1], roi + 2, roi + 4);
      for (std::int64_t part = 0; part < parts; ++part) {
        const Pixels rows(down, part / s.columns, s.rows, s.height);
        const Pixels columns(across, part % s.columns, s.columns, s.width);
        StoreDouble(s.dtype, args.outputs[0], i * parts + part,
                    known ? Greatest(s, args.inputs[0], plane, rows, columns) : 0);
      }
    }
  });
}

}  // namespace halftone
