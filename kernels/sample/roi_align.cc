#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/sample/sample.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct RoiState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t images = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t rows = 1;  // of the result
  std::int64_t columns = 1;
  std::int64_t rois = 0;
  std::int64_t sampling = 0;
  double scale = 1;
  bool half_pixel = true;
  bool maximum = false;
};

// Largest number of samples of a bin along one axis: with 2^20 samples in a bin, the spacing is far
// below the rounding error.
constexpr std::int64_t kMostSamples = 1024;

// Four neighbours of a place; weights are zero for a place more than a pixel outside.
struct Neighbours {
  std::int64_t index[4] = {0, 0, 0, 0};
  double weight[4] = {0, 0, 0, 0};
};

Neighbours NeighboursOf(const RoiState& s, double y, double x) {
  Neighbours n;
  const auto height = static_cast<double>(s.height);
  const auto width = static_cast<double>(s.width);
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) {
    return n;
  }
  y = std::max(y, 0.0);
  x = std::max(x, 0.0);
  const std::int64_t top = std::min(static_cast<std::int64_t>(y), s.height - 1);
  const std::int64_t left = std::min(static_cast<std::int64_t>(x), s.width - 1);
  const std::int64_t bottom = std::min(top + 1, s.height - 1);
  const std::int64_t right = std::min(left + 1, s.width - 1);
  const double v = top == s.height - 1 ? 0 : y - static_cast<double>(top);
  const double h = left == s.width - 1 ? 0 : x - static_cast<double>(left);
  n.index[0] = top * s.width + left;
  n.index[1] = top * s.width + right;
  n.index[2] = bottom * s.width + left;
  n.index[3] = bottom * s.width + right;
  n.weight[0] = (1 - v) * (1 - h);
  n.weight[1] = (1 - v) * h;
  n.weight[2] = v * (1 - h);
  n.weight[3] = v * h;
  return n;
}

struct Region {
  double top = 0;
  double left = 0;
  double bin_height = 0;
  double bin_width = 0;
  std::int64_t grid_rows = 1;
  std::int64_t grid_columns = 1;
};

// The places of a bin's samples along one axis: `count` of them, evenly from `begin` on.
struct Samples {
  double begin = 0;
  double length = 0;
  std::int64_t count = 0;

  [[nodiscard]] double At(std::int64_t i) const {
    return begin + (static_cast<double>(i) + 0.5) * length / static_cast<double>(count);
  }
};

// Samples [begin, end) that may lie on an axis of `extent` pixels, or a pixel beside it. The others
// have no neighbours: a region may be 2^20 times as long as the image.
struct Inside {
  Inside(const Samples& samples, std::int64_t extent) {
    const auto last = static_cast<double>(extent);
    const bool rising = samples.length >= 0;
    begin = FirstWithout(0, samples.count, [&](std::int64_t i) {
      return rising ? samples.At(i) < -1 : samples.At(i) > last;
    });
    end = FirstWithout(begin, samples.count, [&](std::int64_t i) {
      return rising ? samples.At(i) <= last : samples.At(i) >= -1;
    });
  }

  // The first of [low, high) that `holds` is false for, which it then is for all behind; `high`:
  // none.
  template <typename Holds>
  static std::int64_t FirstWithout(std::int64_t low, std::int64_t high, const Holds& holds) {
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Region RegionOf(const RoiState& s, const void* rois, std::int64_t roi) {
  const auto corner = [&](std::int64_t i) {
    return DoubleAt(s.dtype, rois, roi * 4 + i) * s.scale - (s.half_pixel ? 0.5 : 0.0);
  };
  Region r{.top = corner(1), .left = corner(0)};
  double height = corner(3) - r.top;
  double width = corner(2) - r.left;
  if (!s.half_pixel) {  // regions of at least a pixel
    height = std::max(height, 1.0);
    width = std::max(width, 1.0);
  }
  r.bin_height = height / static_cast<double>(s.rows);
  r.bin_width = width / static_cast<double>(s.columns);
  const auto samples = [&](double extent) {
    const double whole = extent > 0 ? std::min(std::ceil(extent), 0x1.0p20) : 0;  // 0 for NaN
    return s.sampling > 0 ? s.sampling : static_cast<std::int64_t>(whole);
  };
  r.grid_rows = samples(r.bin_height);
  r.grid_columns = samples(r.bin_width);
  return r;
}

// Channels whose sums wait while the places of a bin are worked out once for all of them.
constexpr std::int64_t kChannels = 64;

// Sums of a bin, and the greatest weighted neighbour, by channel.
struct BinSums {
  double sum[kChannels] = {};
  double most[kChannels] = {};
  bool any = false;

  template <typename T>
  void Add(const Neighbours& n, const T* planes, std::int64_t plane, std::int64_t channels) {
    for (int k = 0; k < 4; ++k) {
      const T* at = planes + n.index[k];
      for (std::int64_t c = 0; c < channels; ++c) {
        // A neighbour without weight may be infinite.
        const double value = static_cast<double>(NumberOf(at[c * plane]));
        const double term = n.weight[k] == 0 ? 0 : n.weight[k] * value;
        sum[c] += term;
        most[c] = any ? std::max(most[c], term) : term;
      }
      any = true;
    }
  }
};

// The mean of the samples of a bin, or the greatest weighted neighbour of all of them, of
// `channels` planes from `planes` on; results lie `bins` elements apart.
template <typename T>
void BinOf(const RoiState& s, const T* planes, std::int64_t channels, const Region& r,
           std::int64_t bin, T* results) {
  BinSums sums;
  const std::int64_t row = bin / s.columns;
  const std::int64_t column = bin % s.columns;
  const Samples down{r.top + static_cast<double>(row) * r.bin_height, r.bin_height, r.grid_rows};
  const Samples across{r.left + static_cast<double>(column) * r.bin_width, r.bin_width,
                       r.grid_columns};
  const Inside rows(down, s.height);
  const Inside columns(across, s.width);
  const bool first_is_outside = rows.begin > 0 || columns.begin > 0;
  const bool any_is_outside =
      (rows.end - rows.begin) * (columns.end - columns.begin) < r.grid_rows * r.grid_columns;
  const auto add_outside = [&] {  // once for all: zeros
    sums.Add(Neighbours{}, planes, s.height * s.width, channels);
  };
  if (first_is_outside && any_is_outside) {
    add_outside();
  }
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      sums.Add(NeighboursOf(s, down.At(i), across.At(j)), planes, s.height * s.width, channels);
    }
  }
  if (!first_is_outside && any_is_outside) {  // behind: a NaN that comes first stays the greatest
    add_outside();
  }
  const auto count = static_cast<double>(std::max<std::int64_t>(r.grid_rows * r.grid_columns, 1));
  for (std::int64_t c = 0; c < channels; ++c) {
    results[c * s.rows * s.columns] = ElementOf<T>(s.maximum ? sums.most[c] : sums.sum[c] / count);
  }
}

// Up to kChannels channels of a region, from `first` on. A region of an image that there is none
// of, or that has no pixels, gives zeros.
template <typename T>
void RunRegion(const RoiState& s, const KernelArgs& args, std::int64_t roi, std::int64_t first) {
  const std::int64_t image = static_cast<const std::int64_t*>(args.inputs[2])[roi];
  const std::int64_t bins = s.rows * s.columns;
  const std::int64_t channels = std::min(kChannels, s.channels - first);
  T* results = static_cast<T*>(args.outputs[0]) + (roi * s.channels + first) * bins;
  if (image < 0 || image >= s.images || s.height * s.width == 0) {
    std::fill_n(results, channels * bins, ElementOf<T>(0.0));
    return;
  }
  const Region region = RegionOf(s, args.inputs[1], roi);
  const T* planes =
      static_cast<const T*>(args.inputs[0]) + (image * s.channels + first) * s.height * s.width;
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    BinOf(s, planes, channels, region, bin, results + bin);
  }
}

}  // namespace

std::unique_ptr<KernelState> PrepareRoiAlign(const KernelQuery& query) {
  auto state = std::make_unique<RoiState>();
  const TensorType& x = *query.inputs.at(0);
  const Shape& y = query.outputs.at(0)->shape;
  state->dtype = x.dtype;
  state->images = x.shape[0];
  state->channels = x.shape[1];
  state->height = x.shape[2];
  state->width = x.shape[3];
  state->rois = y[0];
  state->rows = y[2];
  state->columns = y[3];
  state->sampling = query.attributes->Int("sampling_ratio", 0);
  // A sampling_ratio of 0 needs no bound: samples are then a pixel apart, so that an image holds
  // about as many along an axis as it has pixels.
  if (state->sampling > kMostSamples) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("attribute 'sampling_ratio': expected at most {} samples along an axis "
                            "of a bin, got {}: give fewer, more change nothing that can be seen",
                            kMostSamples, state->sampling));
  }
  state->scale = query.attributes->Float("spatial_scale", 1);
  const std::string mode = query.attributes->Text("mode", "avg");
  const std::string places = query.attributes->Text("coordinate_transformation_mode", "half_pixel");
  if ((mode != "avg" && mode != "max") ||
      (places != "half_pixel" && places != "output_half_pixel")) {
    throw Error(ErrorKind::kModel, fmt::format("expected mode avg or max and "
                                               "coordinate_transformation_mode half_pixel or "
                                               "output_half_pixel, got '{}' and '{}'",
                                               mode, places));
  }
  state->maximum = mode == "max";
  state->half_pixel = places == "half_pixel";
  return state;
}

void RunRoiAlign(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RoiState&>(*args.state);
  const std::int64_t blocks = (s.channels + kChannels - 1) / kChannels;
  VisitElement(s.dtype, [&](auto element) {
    ParallelFor(s.rois * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        RunRegion<decltype(element)>(s, args, i / blocks, i % blocks * kChannels);
      }
    });
  });
}

}  // namespace halftone
