// Specification of GridSample: point by point and tap by tap.
#include "kernels/sample/grid_sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/sample/sample.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// x reflected at `low` and `high` until it lies between them.
double Reflected(double x, double low, double high) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(x)) {
    return low;
  }
  const double distance = std::fmod(std::abs(x - low), 2 * span);
  return low + (distance > span ? 2 * span - distance : distance);
}

// A coordinate brought inside by the padding mode; zeros leave it.
double Inside(const GridState& s, double size, double x) {
  if (s.padding == GridPadding::kBorder) {
    return std::clamp(std::isnan(x) ? 0.0 : x, 0.0, size - 1);
  }
  if (s.padding == GridPadding::kReflection) {
    const double y = s.align_corners ? Reflected(x, 0, size - 1) : Reflected(x, -0.5, size - 0.5);
    return std::clamp(y, 0.0, size - 1);
  }
  return x;
}

std::int64_t IndexOf(const GridState& s, double size, double x) {
  const double at = s.padding == GridPadding::kZeros ? x : std::nearbyint(Inside(s, size, x));
  return at >= 0 && at < size ? static_cast<std::int64_t>(at) : -1;
}

// Taps that fall on one pixel, as they do at a border, become one: a weight of 0 that the last
// pixel has beside its own must not make an infinity NaN.
void MergeTaps(GridTaps& taps) {
  for (std::size_t i = 1; i < static_cast<std::size_t>(taps.count); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (taps.index[i] >= 0 && taps.index[j] == taps.index[i]) {
        taps.weight[j] += taps.weight[i];
        taps.index[i] = -1;
      }
    }
  }
}

template <typename Enum, std::size_t kCount>
Enum EnumOf(const KernelQuery& query, const char* attribute,
            const std::array<std::string_view, kCount>& names, std::string_view fallback) {
  const std::string stated = query.attributes->Text(attribute, fallback);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == stated) {
      return static_cast<Enum>(i);
    }
  }
  throw Error(ErrorKind::kModel, fmt::format("attribute '{}': expected {}, {} or {}, got '{}'",
                                             attribute, names[0], names[1], names[2], stated));
}

// `sum` and the taps in the row that begins at element `first`.
double AddTapsOfRow(const GridState& s, const void* x, std::int64_t first, double weight,
                    const GridTaps& taps, double sum) {
  for (int k = 0; k < taps.count; ++k) {
    const std::int64_t w = taps.index[static_cast<std::size_t>(k)];
    if (w >= 0) {
      sum += weight * taps.weight[static_cast<std::size_t>(k)] * DoubleAt(s.dtype, x, first + w);
    }
  }
  return sum;
}

}  // namespace

double GridPixel(const GridState& s, std::size_t axis, double normal) {
  const auto size = static_cast<double>(s.extent[axis]);
  return s.align_corners ? (normal + 1) / 2 * (size - 1) : ((normal + 1) * size - 1) / 2;
}

GridTaps GridTapsAtPixel(const GridState& s, std::size_t axis, double x) {
  const auto size = static_cast<double>(s.extent[axis]);
  x = s.mode == GridMode::kCubic ? x : Inside(s, size, x);
  GridTaps taps;
  if (s.mode == GridMode::kNearest) {
    taps.index[0] = IndexOf(s, size, std::nearbyint(x));
    return taps;
  }
  const double floor = std::floor(x);
  const double t = x - floor;
  if (s.mode == GridMode::kLinear) {
    taps.count = 2;
    taps.weight = {1 - t, t, 0, 0};
  } else {
    taps.count = 4;
    for (int i = 0; i < 4; ++i) {
      taps.weight[static_cast<std::size_t>(i)] = GridCubicWeight(t + 1 - i);
    }
  }
  const double first = s.mode == GridMode::kLinear ? floor : floor - 1;
  for (int i = 0; i < taps.count; ++i) {
    taps.index[static_cast<std::size_t>(i)] = IndexOf(s, size, first + i);
  }
  MergeTaps(taps);
  return taps;
}

GridPointTaps GridTapsAt(const GridState& s, const void* grid, std::int64_t point) {
  GridPointTaps taps;
  for (int i = 0; i < s.axes; ++i) {
    const std::size_t axis = kGridAxes - 1 - static_cast<std::size_t>(i);  // the grid is x, y, z
    const double normal = DoubleAt(s.grid_dtype, grid, point * s.axes + i);
    taps[axis] = GridTapsAtPixel(s, axis, GridPixel(s, axis, normal));
  }
  return taps;
}

double GridSampleAt(const GridState& s, const void* x, std::int64_t plane,
                    const GridPointTaps& taps) {
  double sum = 0;
  for (int i = 0; i < taps[0].count; ++i) {
    for (int j = 0; j < taps[1].count; ++j) {
      const std::int64_t d = taps[0].index[static_cast<std::size_t>(i)];
      const std::int64_t h = taps[1].index[static_cast<std::size_t>(j)];
      if (d >= 0 && h >= 0) {
        const double weight = taps[0].weight[static_cast<std::size_t>(i)] *
                              taps[1].weight[static_cast<std::size_t>(j)];
        sum = AddTapsOfRow(s, x, ((plane * s.extent[0] + d) * s.extent[1] + h) * s.extent[2],
                           weight, taps[2], sum);
      }
    }
  }
  return sum;
}

void FillGridState(const KernelQuery& query, GridState& state) {
  const TensorType& x = *query.inputs.at(0);
  state.dtype = x.dtype;
  state.grid_dtype = query.inputs.at(1)->dtype;
  state.batch = x.shape[0];
  state.channels = x.shape[1];
  state.axes = x.shape.rank() - 2;
  for (int axis = 0; axis < state.axes; ++axis) {
    state.extent[kGridAxes - static_cast<std::size_t>(state.axes - axis)] = x.shape[axis + 2];
  }
  state.places = query.outputs.at(0)->shape.ElementCount(2, x.shape.rank());
  state.mode = EnumOf<GridMode, 3>(query, "mode", {"nearest", "linear", "cubic"}, "linear");
  state.padding =
      EnumOf<GridPadding, 3>(query, "padding_mode", {"zeros", "border", "reflection"}, "zeros");
  state.align_corners = query.attributes->Int("align_corners", 0) != 0;
}

std::unique_ptr<KernelState> PrepareGridSampleReference(const KernelQuery& query) {
  auto state = std::make_unique<GridState>();
  FillGridState(query, *state);
  return state;
}

void RunGridSampleReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const GridState&>(*args.state);
  ParallelFor(s.batch * s.places, 200, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const GridPointTaps taps = GridTapsAt(s, args.inputs[1], i);
      for (std::int64_t c = 0; c < s.channels; ++c) {
        const std::int64_t plane = i / s.places * s.channels + c;
        StoreDouble(s.dtype, args.outputs[0], plane * s.places + i % s.places,
                    GridSampleAt(s, args.inputs[0], plane, taps));
      }
    }
  });
}

}  // namespace halftone
