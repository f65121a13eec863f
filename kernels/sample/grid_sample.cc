#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/parallel.h"
#include "kernels/sample/sample.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::size_t kAxes = 3;  // missing leading axes have extent 1

enum class Mode : std::uint8_t { kNearest, kLinear, kCubic };
enum class Padding : std::uint8_t { kZeros, kBorder, kReflection };

struct GridState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t places = 1;  // of an image
  int axes = 2;
  DType grid_dtype = DType::kFloat32;  // or double
  std::array<std::int64_t, kAxes> extent{1, 1, 1};
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

// What one axis contributes: up to 4 indices, -1 for zeros, and their weights.
struct Taps {
  int count = 1;
  std::array<std::int64_t, 4> index{};
  std::array<double, 4> weight{1, 0, 0, 0};
};

// x reflected at `low` and `high` until it lies between them.
double Reflected(double x, double low, double high) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(x)) {
    return low;
  }
  const double distance = std::fmod(std::abs(x - low), 2 * span);
  return low + (distance > span ? 2 * span - distance : distance);
}

class Axis {
 public:
  Axis(const GridState& state, std::size_t axis)
      : state_(state), extent_(state.extent[axis]), size_(static_cast<double>(extent_)) {}

  // The pixel coordinate of a normalised one, -1 and 1 being the ends.
  [[nodiscard]] double Pixel(double normal) const {
    const double x =
        state_.align_corners ? (normal + 1) / 2 * (size_ - 1) : ((normal + 1) * size_ - 1) / 2;
    return state_.mode == Mode::kCubic ? x : Inside(x);
  }

  [[nodiscard]] Taps TapsAt(double x) const {
    Taps taps;
    if (state_.mode == Mode::kNearest) {
      taps.index[0] = IndexOf(std::nearbyint(x));
      return taps;
    }
    const double floor = std::floor(x);
    const double t = x - floor;
    if (state_.mode == Mode::kLinear) {
      taps.count = 2;
      taps.weight = {1 - t, t, 0, 0};
    } else {
      taps.count = 4;
      for (int i = 0; i < 4; ++i) {
        taps.weight[static_cast<std::size_t>(i)] = CubicWeight(t + 1 - i);
      }
    }
    const double first = state_.mode == Mode::kLinear ? floor : floor - 1;
    for (int i = 0; i < taps.count; ++i) {
      taps.index[static_cast<std::size_t>(i)] = IndexOf(first + i);
    }
    return taps;
  }

 private:
  // Keys' kernel with a = -0.75, as ONNX has it.
  static double CubicWeight(double distance) {
    constexpr double a = -0.75;
    const double d = std::abs(distance);
    if (d <= 1) {
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    }
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
  }

  // A coordinate brought inside by the padding mode; zeros leave it.
  [[nodiscard]] double Inside(double x) const {
    if (state_.padding == Padding::kBorder) {
      return std::clamp(std::isnan(x) ? 0.0 : x, 0.0, size_ - 1);
    }
    if (state_.padding == Padding::kReflection) {
      const double y =
          state_.align_corners ? Reflected(x, 0, size_ - 1) : Reflected(x, -0.5, size_ - 0.5);
      return std::clamp(y, 0.0, size_ - 1);
    }
    return x;
  }

  [[nodiscard]] std::int64_t IndexOf(double x) const {
    const double at = state_.padding == Padding::kZeros ? x : std::nearbyint(Inside(x));
    return at >= 0 && at < size_ ? static_cast<std::int64_t>(at) : -1;
  }

  const GridState& state_;
  std::int64_t extent_;
  double size_;
};

double SampleAt(const GridState& s, const void* x, std::int64_t plane,
                const std::array<Taps, kAxes>& taps) {
  double sum = 0;
  for (int i = 0; i < taps[0].count; ++i) {
    for (int j = 0; j < taps[1].count; ++j) {
      for (int k = 0; k < taps[2].count; ++k) {
        const std::int64_t d = taps[0].index[static_cast<std::size_t>(i)];
        const std::int64_t h = taps[1].index[static_cast<std::size_t>(j)];
        const std::int64_t w = taps[2].index[static_cast<std::size_t>(k)];
        if (d >= 0 && h >= 0 && w >= 0) {
          const double weight = taps[0].weight[static_cast<std::size_t>(i)] *
                                taps[1].weight[static_cast<std::size_t>(j)] *
                                taps[2].weight[static_cast<std::size_t>(k)];
          sum += weight * DoubleAt(s.dtype, x,
                                   ((plane * s.extent[0] + d) * s.extent[1] + h) * s.extent[2] + w);
        }
      }
    }
  }
  return sum;
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

}  // namespace

std::unique_ptr<KernelState> PrepareGridSample(const KernelQuery& query) {
  auto state = std::make_unique<GridState>();
  const TensorType& x = *query.inputs.at(0);
  state->dtype = x.dtype;
  state->grid_dtype = query.inputs.at(1)->dtype;
  state->batch = x.shape[0];
  state->channels = x.shape[1];
  state->axes = x.shape.rank() - 2;
  for (int axis = 0; axis < state->axes; ++axis) {
    state->extent[kAxes - static_cast<std::size_t>(state->axes - axis)] = x.shape[axis + 2];
  }
  state->places = query.outputs.at(0)->shape.ElementCount(2, x.shape.rank());
  state->mode = EnumOf<Mode, 3>(query, "mode", {"nearest", "linear", "cubic"}, "linear");
  state->padding =
      EnumOf<Padding, 3>(query, "padding_mode", {"zeros", "border", "reflection"}, "zeros");
  state->align_corners = query.attributes->Int("align_corners", 0) != 0;
  return state;
}

void RunGridSample(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const GridState&>(*args.state);
  ParallelFor(s.batch * s.places, 200, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::array<Taps, kAxes> taps;
      for (int axis = 0; axis < s.axes; ++axis) {
        const Axis geometry(s, kAxes - 1 - static_cast<std::size_t>(axis));  // the grid is x, y, z
        taps[kAxes - 1 - static_cast<std::size_t>(axis)] = geometry.TapsAt(
            geometry.Pixel(DoubleAt(s.grid_dtype, args.inputs[1], i * s.axes + axis)));
      }
      for (std::int64_t c = 0; c < s.channels; ++c) {
        const std::int64_t plane = i / s.places * s.channels + c;
        StoreDouble(s.dtype, args.outputs[0], plane * s.places + i % s.places,
                    SampleAt(s, args.inputs[0], plane, taps));
      }
    }
  });
}

}  // namespace halftone
