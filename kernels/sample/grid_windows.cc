#include "kernels/sample/grid_windows.h"

#include <algorithm>

namespace halftone {
namespace {

// GridTapsAtPixel() for a point whose taps all lie inside the image; false if some do not. Nothing
// is padded there, and rounding numbers that are not negative takes no function call.
bool InnerTaps(const GridState& s, std::size_t axis, double x, GridTaps& taps) {
  const auto size = static_cast<double>(s.extent[axis]);
  const double margin = s.mode == GridMode::kCubic ? 1 : 0;
  const double end = s.mode == GridMode::kNearest ? size : size - 1;
  if (!(x >= margin && x < end - margin)) {
    return false;
  }
  const auto whole = static_cast<std::int64_t>(x);
  const double t = x - static_cast<double>(whole);
  switch (s.mode) {
    case GridMode::kNearest: {
      taps.count = 1;
      taps.weight[0] = 1;
      const bool up = t > 0.5 || (t == 0.5 && whole % 2 != 0);
      taps.index[0] = whole + (up ? 1 : 0);
      return taps.index[0] < s.extent[axis];
    }
    case GridMode::kLinear:
      taps.count = 2;
      taps.weight = {1 - t, t, 0, 0};
      taps.index = {whole, whole + 1, -1, -1};
      return true;
    case GridMode::kCubic:
      taps.count = 4;
      for (int i = 0; i < 4; ++i) {
        taps.weight[static_cast<std::size_t>(i)] = GridCubicWeight(t + 1 - i);
        taps.index[static_cast<std::size_t>(i)] = whole - 1 + i;
      }
      return true;
  }
  return false;
}

// GridTapsAt().
void TapsOf(const GridState& s, const void* grid, std::int64_t point, GridPointTaps& taps) {
  for (int i = 0; i < s.axes; ++i) {
    const std::size_t axis = kGridAxes - 1 - static_cast<std::size_t>(i);
    const std::int64_t at = point * s.axes + i;
    const double normal = s.grid_dtype == DType::kFloat32
                              ? static_cast<double>(static_cast<const float*>(grid)[at])
                              : DoubleAt(s.grid_dtype, grid, at);
    const double x = GridPixel(s, axis, normal);
    if (!InnerTaps(s, axis, x, taps[axis])) {
      taps[axis] = GridTapsAtPixel(s, axis, x);
    }
  }
}

// The taps along a row as places of one run.
template <int kRun>
struct Run {
  std::int64_t begin = 0;
  bool holds = true;  // all taps
  double weight[kRun] = {};
  std::uint32_t mask[kRun] = {};
};

template <int kRun>
Run<kRun> RunOf(const GridTaps& taps, std::int64_t extent) {
  Run<kRun> run;
  std::int64_t least = extent;
  for (std::size_t i = 0; i < kRun; ++i) {
    least = taps.index[i] >= 0 ? std::min(least, taps.index[i]) : least;
  }
  run.begin = std::min(least, extent - kRun);
  for (std::size_t i = 0; i < kRun; ++i) {
    const std::int64_t place = taps.index[i] - run.begin;
    if (taps.index[i] >= 0 && place < kRun) {
      run.weight[place] = taps.weight[i];
      run.mask[place] = ~std::uint32_t{0};
    }
    run.holds = run.holds && (taps.index[i] < 0 || place < kRun);
  }
  return run;
}

// Point `i` of the block.
template <int kRun>
void FillPoint(const GridState& s, const GridPointTaps& taps, const Run<kRun>& run, std::int64_t i,
               GridWindows& w) {
  std::int64_t at = i;
  std::uint32_t all = ~std::uint32_t{0};
  for (std::size_t d = 0; d < static_cast<std::size_t>(taps[0].count); ++d) {
    for (std::size_t h = 0; h < static_cast<std::size_t>(taps[1].count); ++h, at += w.stride) {
      const std::int64_t slice = taps[0].index[d];
      const std::int64_t line = taps[1].index[h];
      const bool reads = slice >= 0 && line >= 0;
      const double weight = taps[0].weight[d] * taps[1].weight[h];
      w.offset[at] = reads ? (slice * s.extent[1] + line) * s.extent[2] + run.begin : 0;
      for (int k = 0; k < kRun; ++k) {
        const std::uint32_t mask = reads ? run.mask[k] : 0;
        w.weight[at * kRun + k] = mask != 0 ? weight * run.weight[k] : 0;
        w.mask[at * kRun + k] = mask;
        all &= mask;
      }
    }
  }
  w.is_whole = w.is_whole && all != 0;
}

template <int kRun>
void FillPoints(const GridState& s, const void* grid, std::int64_t begin, GridWindows& w) {
  GridPointTaps taps;
  for (std::int64_t i = 0; i < w.count; ++i) {
    TapsOf(s, grid, begin + i, taps);
    Run<kRun> run = RunOf<kRun>(taps[kGridAxes - 1], s.extent[kGridAxes - 1]);
    if (!run.holds) {
      w.other[w.others++] = i;
      run = Run<kRun>{};
    }
    FillPoint<kRun>(s, taps, run, i, w);
  }
}

}  // namespace

GridForm GridFormOf(const GridState& state) {
  const std::int64_t run =
      state.mode == GridMode::kNearest ? 1 : (state.mode == GridMode::kLinear ? 2 : 4);
  std::int64_t rows = 1;
  for (int axis = 1; axis < state.axes; ++axis) {
    rows *= run;
  }
  return {.run = run, .rows = rows};
}

void FillGridWindows(const GridState& state, const GridForm& form, const void* grid,
                     std::int64_t begin, std::int64_t count, GridWindows& windows) {
  GridWindows& w = windows;
  w.form = form;
  w.count = count;
  w.stride = (count + kGridPointMultiple - 1) / kGridPointMultiple * kGridPointMultiple;
  w.is_whole = true;
  w.others = 0;
  if (form.run == 1) {
    FillPoints<1>(state, grid, begin, w);
  } else if (form.run == 2) {
    FillPoints<2>(state, grid, begin, w);
  } else {
    FillPoints<4>(state, grid, begin, w);
  }
  for (std::int64_t row = 0; row < form.rows; ++row) {
    const std::int64_t from = row * w.stride + count;
    const std::int64_t to = (row + 1) * w.stride;
    std::fill(w.offset + from, w.offset + to, 0);
    std::fill(w.weight + from * form.run, w.weight + to * form.run, 0.0);
    std::fill(w.mask + from * form.run, w.mask + to * form.run, 0U);
  }
}

}  // namespace halftone
