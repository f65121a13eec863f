#include "kernels/resize/axis_taps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/strided/axis_indices.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct AxisGeometry {
  std::int64_t input = 0;
  std::int64_t output = 0;
  double scale = 1;
  double roi_begin = 0;  // tf_crop_and_resize
  double roi_end = 1;
};

// The source coordinate of output index `o` by coordinate_transformation_mode `mode`.
double SourceCoordinate(std::string_view mode, const AxisGeometry& axis, std::int64_t o) {
  const auto x = static_cast<double>(o);
  const auto input = static_cast<double>(axis.input);
  const auto output = static_cast<double>(axis.output);
  if (mode == "half_pixel") {
    return (x + 0.5) / axis.scale - 0.5;
  }
  if (mode == "pytorch_half_pixel") {
    return axis.output > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  }
  if (mode == "half_pixel_symmetric") {
    // Centred on the source even where output is not exactly scale * input.
    const double offset = input / 2 * (1 - output / (axis.scale * input));
    return offset + (x + 0.5) / axis.scale - 0.5;
  }
  if (mode == "align_corners") {
    return axis.output > 1 ? x * (input - 1) / (output - 1) : 0;
  }
  if (mode == "tf_half_pixel_for_nn") {
    return (x + 0.5) / axis.scale;
  }
  if (mode == "asymmetric") {
    return x / axis.scale;
  }
  if (mode == "tf_crop_and_resize") {
    return axis.output > 1 ? axis.roi_begin * (input - 1) +
                                 x * (axis.roi_end - axis.roi_begin) * (input - 1) / (output - 1)
                           : 0.5 * (axis.roi_begin + axis.roi_end) * (input - 1);
  }
  throw Error(ErrorKind::kModel,
              fmt::format("Resize: expected coordinate_transformation_mode half_pixel, "
                          "half_pixel_symmetric, pytorch_half_pixel, tf_half_pixel_for_nn, "
                          "align_corners, asymmetric or tf_crop_and_resize, got '{}'",
                          mode));
}

std::int64_t Nearest(std::string_view mode, double coordinate) {
  double rounded = 0;
  if (mode == "round_prefer_floor") {
    rounded = std::ceil(coordinate - 0.5);
  } else if (mode == "round_prefer_ceil") {
    rounded = std::floor(coordinate + 0.5);
  } else if (mode == "floor") {
    rounded = std::floor(coordinate);
  } else if (mode == "ceil") {
    rounded = std::ceil(coordinate);
  } else {
    throw Error(
        ErrorKind::kModel,
        fmt::format("Resize: expected nearest_mode round_prefer_floor, round_prefer_ceil, floor or "
                    "ceil, got '{}'",
                    mode));
  }
  return static_cast<std::int64_t>(rounded);
}

// The weight of a sample at `distance` by cubic convolution with parameter a.
// Source: Keys, "Cubic convolution interpolation for digital image processing", 1981, equation 15
// with a free instead of -1/2.
double CubicWeight(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1) {
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  }
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

struct Interpolation {
  std::string mode;
  std::string nearest_mode;
  std::string transformation;
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;

  [[nodiscard]] bool crops() const { return transformation == "tf_crop_and_resize"; }

  // Factor of distances by which the filter is widened: downsampling with antialias.
  [[nodiscard]] double Shrink(const AxisGeometry& axis) const {
    return antialias ? std::min(axis.scale, 1.0) : 1.0;
  }

  // The first tap, counted from the sample below the place; the last is 1 minus it.
  [[nodiscard]] std::int64_t FirstTap(const AxisGeometry& axis) const {
    return static_cast<std::int64_t>(std::floor(-(mode == "cubic" ? 2 : 1) / Shrink(axis))) + 1;
  }
};

// Appends the taps of one output index.
void AppendTaps(const Interpolation& how, const AxisGeometry& axis, std::int64_t o,
                AxisTaps& taps) {
  const double x = SourceCoordinate(how.transformation, axis, o);
  const bool outside = how.crops() && !(x >= 0 && x <= static_cast<double>(axis.input - 1));
  if (how.crops()) {
    taps.outside.push_back(outside);
  }
  if (how.mode == "nearest") {
    taps.index.push_back(
        outside ? kFill
                : std::clamp<std::int64_t>(Nearest(how.nearest_mode, x), 0, axis.input - 1));
    taps.weight.push_back(1);
    return;
  }
  const double shrink = how.Shrink(axis);
  const std::int64_t first = static_cast<std::int64_t>(std::floor(x)) + how.FirstTap(axis);
  double sum = 0;
  const std::size_t begin = taps.weight.size();
  for (std::int64_t i = first; i < first + taps.width; ++i) {
    const double distance = (x - static_cast<double>(i)) * shrink;
    double weight = how.mode == "cubic" ? CubicWeight(distance, how.cubic_a)
                                        : std::max(1 - std::abs(distance), 0.0);
    weight = (i < 0 || i >= axis.input) && how.exclude_outside ? 0 : weight;
    taps.index.push_back(std::clamp<std::int64_t>(i, 0, axis.input - 1));
    taps.weight.push_back(weight);
    sum += weight;
  }
  for (std::size_t k = begin; (how.exclude_outside || shrink < 1) && k < taps.weight.size(); ++k) {
    taps.weight[k] /= sum;
  }
}

// Empty (a tensor of no elements) is the same as absent, as exporters write it.
const Tensor* GivenConstant(const KernelQuery& query, std::size_t i) {
  const Tensor* tensor = query.Constant(i);
  return tensor != nullptr && tensor->ElementCount() > 0 ? tensor : nullptr;
}

// Calls set(axis, place among the stated axes) for every axis that is resized.
template <typename Set>
void ForEachStated(const KernelQuery& query, const Set& set) {
  const int rank = query.inputs.at(0)->shape.rank();
  std::vector<std::int64_t> stated = query.attributes->Ints("axes");
  for (int axis = 0; !query.attributes->Has("axes") && axis < rank; ++axis) {
    stated.push_back(axis);
  }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    set(static_cast<std::size_t>(NormalizeAxis(stated[i], rank)), i);
  }
}

// One scale for all axes where sizes are limits (keep_aspect_ratio_policy).
void KeepAspectRatio(const KernelQuery& query, std::vector<AxisGeometry>& axes) {
  const std::string policy = query.attributes->Text("keep_aspect_ratio_policy", "stretch");
  const Tensor* sizes = GivenConstant(query, 3);
  if (policy == "stretch" || sizes == nullptr) {
    return;
  }
  const std::vector<double> values = DoublesOf(*sizes);
  double scale = 0;
  ForEachStated(query, [&](std::size_t axis, std::size_t i) {
    const double own = values.at(i) / std::max(static_cast<double>(axes[axis].input), 1.0);
    scale = i == 0 ? own : policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
  });
  ForEachStated(query, [&](std::size_t axis, std::size_t) { axes[axis].scale = scale; });
}

void SetRegion(const KernelQuery& query, std::vector<AxisGeometry>& axes) {
  const Tensor* region = GivenConstant(query, 1);
  if (region == nullptr) {
    return;
  }
  const std::vector<double> values = DoublesOf(*region);
  ForEachStated(query, [&](std::size_t axis, std::size_t i) {
    axes[axis].roi_begin = values.at(i);
    axes[axis].roi_end = values.at(values.size() / 2 + i);
  });
}

std::vector<AxisGeometry> GeometryOf(const KernelQuery& query) {
  const Shape& input = query.inputs.at(0)->shape;
  const Shape& output = query.outputs.at(0)->shape;
  if (input.rank() != output.rank()) {
    throw Error(ErrorKind::kModel, fmt::format("Resize: input {} and output {} differ in rank",
                                               input.ToString(), output.ToString()));
  }
  std::vector<AxisGeometry> axes;
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (input[axis] == 0 && output[axis] > 0) {
      throw Error(ErrorKind::kModel, fmt::format("Resize: axis {} of {} has no elements to enlarge",
                                                 axis, input.ToString()));
    }
    const bool empty = input[axis] == 0 || output[axis] == 0;
    axes.push_back(
        {input[axis], output[axis],
         empty ? 1 : static_cast<double>(output[axis]) / static_cast<double>(input[axis])});
  }
  if (const Tensor* scales = GivenConstant(query, 2)) {
    const std::vector<double> values = DoublesOf(*scales);
    const std::vector<std::int64_t> stated = query.attributes->Ints("axes");
    if (values.size() != (stated.empty() ? axes.size() : stated.size())) {
      throw Error(ErrorKind::kModel, fmt::format("Resize: {} scales do not fit input {}",
                                                 values.size(), input.ToString()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int axis =
          stated.empty() ? static_cast<int>(i) : NormalizeAxis(stated[i], input.rank());
      if (!(values[i] > 0)) {
        throw Error(ErrorKind::kModel,
                    fmt::format("Resize: expected scales above 0, got {}", values[i]));
      }
      axes[static_cast<std::size_t>(axis)].scale = values[i];
    }
  }
  KeepAspectRatio(query, axes);
  SetRegion(query, axes);
  if (output.ElementCount() == 0) {  // no taps, however long the axes beside the empty one are
    for (AxisGeometry& axis : axes) {
      axis.output = 0;
    }
  }
  return axes;
}

Interpolation InterpolationOf(const Attributes& attributes) {
  Interpolation how{
      .mode = attributes.Text("mode", "nearest"),
      .nearest_mode = attributes.Text("nearest_mode", "round_prefer_floor"),
      .transformation = attributes.Text("coordinate_transformation_mode", "half_pixel"),
      .cubic_a = attributes.Float("cubic_coeff_a", -0.75F),
      .exclude_outside = attributes.Int("exclude_outside", 0) != 0,
      .antialias = attributes.Int("antialias", 0) != 0};
  if (how.mode != "nearest" && how.mode != "linear" && how.mode != "cubic") {
    throw Error(ErrorKind::kModel,
                fmt::format("Resize: expected mode nearest, linear or cubic, got '{}'", how.mode));
  }
  return how;
}

}  // namespace

bool AxisTaps::IsIdentity() const {
  if (width != 1 || output_extent() != source_extent) {
    return false;
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

std::vector<AxisTaps> ResizeTaps(const KernelQuery& query) {
  const Interpolation how = InterpolationOf(*query.attributes);
  std::vector<AxisTaps> all;
  for (const AxisGeometry& axis : GeometryOf(query)) {
    AxisTaps taps{
        .source_extent = axis.input, .width = 1, .index = {}, .weight = {}, .outside = {}};
    // Scale 1 maps every coordinate to itself in every mode: the axis is copied.
    if (axis.scale == 1 && axis.input == axis.output && axis.roi_begin == 0 && axis.roi_end == 1) {
      for (std::int64_t i = 0; i < axis.input; ++i) {
        taps.index.push_back(i);
        taps.weight.push_back(1);
      }
    } else {
      taps.width = how.mode == "nearest" ? 1 : static_cast<int>(2 - 2 * how.FirstTap(axis));
      for (std::int64_t o = 0; o < axis.output; ++o) {
        AppendTaps(how, axis, o, taps);
      }
    }
    all.push_back(std::move(taps));
  }
  return all;
}

std::string_view RefuseResize(const KernelQuery& query) {
  const TensorType* scales = query.Input(2);
  if (scales != nullptr && scales->shape.ElementCount() > 0 && query.Constant(2) == nullptr) {
    return "scales must be constant";
  }
  if (query.Input(1) != nullptr && query.Constant(1) == nullptr) {
    return "the region of interest must be constant";
  }
  const bool nearest = query.attributes->Text("mode", "nearest") == "nearest";
  return !nearest && !IsFloating(query.inputs.at(0)->dtype) ? "interpolates floating types only"
                                                            : "";
}

}  // namespace halftone
