#include "kernels/strided/axis_indices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

using Indices = std::vector<std::int64_t>;

// Copies every axis whole: the start for operators that change only some axes. The source is padded
// with leading axes of extent 1 to the rank of the output.
AxisIndices WholeAxes(const KernelQuery& query) {
  const Shape& from = query.inputs.at(0)->shape;
  const int rank = query.outputs.at(0)->shape.rank();
  if (rank > kMaxRank || from.rank() > rank) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: tensors of more than {} axes are not supported, got {} to {}",
                            InfoOf(query.op).name, kMaxRank, from.ToString(),
                            query.outputs[0]->shape.ToString()));
  }
  Indices dims = from.dims();
  dims.insert(dims.begin(), static_cast<std::size_t>(rank - from.rank()), 1);
  AxisIndices indices{.source = Shape(std::move(dims)), .axes = {}};
  for (int axis = 0; axis < rank; ++axis) {
    indices.axes.push_back(IdentityIndices(indices.source[axis]));
  }
  return indices;
}

// The constant input `i`, or {0, 1, ..., count - 1} / {1, 1, ...} by `fallback` when it is absent.
Indices ConstantOr(const KernelQuery& query, std::size_t i, Indices fallback) {
  return query.Constant(i) != nullptr ? IntegersOf(*query.Constant(i)) : std::move(fallback);
}

// The fast and the reference kernel trust these extents, so they are compared with the output.
void CheckExtents(const KernelQuery& query, const AxisIndices& indices) {
  const Shape& output = query.outputs.at(0)->shape;
  for (int axis = 0; axis < output.rank(); ++axis) {
    const auto extent =
        static_cast<std::int64_t>(indices.axes[static_cast<std::size_t>(axis)].size());
    if (extent != output[axis]) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("{}: output {} has extent {} along axis {}, the operands give {}",
                      InfoOf(query.op).name, output.ToString(), output[axis], axis, extent));
    }
  }
}

Indices SliceAxis(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) {
    throw Error(ErrorKind::kModel, "Slice: a step is 0");
  }
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t i, std::int64_t least) {
    return std::clamp(i < 0 ? i + extent : i, least, std::max(high, least));
  };
  const std::int64_t first = clamp(start, 0);
  const std::int64_t last = clamp(end, low);
  // A step beyond the extent is one of the extent: it takes the first element only.
  const std::int64_t stride = std::clamp(step, -extent - 1, extent + 1);
  Indices indices;
  for (std::int64_t i = first; (stride > 0 ? i < last : i > last) && i < extent; i += stride) {
    indices.push_back(i);
  }
  return indices;
}

// `i` taken into [0, extent) by mirroring at the first and last element, which are not repeated.
std::int64_t Reflected(std::int64_t i, std::int64_t extent) {
  if (extent == 1) {
    return 0;
  }
  const std::int64_t period = 2 * (extent - 1);
  const std::int64_t phase = ((i % period) + period) % period;
  return std::min(phase, period - phase);
}

// Negative pads remove elements first; the mode then extends what is left.
Indices PadAxis(std::int64_t extent, std::int64_t begin, std::int64_t end, std::string_view mode) {
  const std::int64_t first = std::min(std::max<std::int64_t>(-begin, 0), extent);
  const std::int64_t kept = extent - first - std::max<std::int64_t>(-end, 0);
  const std::int64_t before = std::max<std::int64_t>(begin, 0);
  const std::int64_t count = before + kept + std::max<std::int64_t>(end, 0);
  if (kept <= 0 && count > 0 && mode != "constant") {
    throw Error(ErrorKind::kModel,
                fmt::format("Pad: mode {} needs elements to extend, an axis has none", mode));
  }
  Indices indices;
  for (std::int64_t o = 0; o < count; ++o) {
    const std::int64_t i = o - before;
    if (i >= 0 && i < kept) {
      indices.push_back(first + i);
    } else if (mode == "constant") {
      indices.push_back(kFill);
    } else if (mode == "edge") {
      indices.push_back(first + std::clamp<std::int64_t>(i, 0, kept - 1));
    } else if (mode == "wrap") {
      indices.push_back(first + ((i % kept) + kept) % kept);
    } else {
      indices.push_back(first + Reflected(i, kept));
    }
  }
  return indices;
}

}  // namespace

std::vector<std::int64_t> IdentityIndices(std::int64_t count) {
  Indices indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

AxisIndices SliceIndices(const KernelQuery& query) {
  AxisIndices indices = WholeAxes(query);
  const Indices starts = IntegersOf(*query.constants.at(1));
  const Indices ends = IntegersOf(*query.constants.at(2));
  const Indices axes =
      ConstantOr(query, 3, IdentityIndices(static_cast<std::int64_t>(starts.size())));
  const Indices steps = ConstantOr(query, 4, Indices(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw Error(ErrorKind::kModel, "Slice: starts, ends, axes and steps differ in length");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = NormalizeAxis(axes[i], indices.source.rank());
    indices.axes[static_cast<std::size_t>(axis)] =
        SliceAxis(indices.source[axis], starts[i], ends[i], steps[i]);
  }
  CheckExtents(query, indices);
  return indices;
}

AxisIndices PadIndices(const KernelQuery& query) {
  AxisIndices indices = WholeAxes(query);
  const std::string mode = query.attributes->Text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    throw Error(ErrorKind::kModel,
                fmt::format("Pad: expected mode constant, reflect, edge or wrap, got '{}'", mode));
  }
  const Indices pads = IntegersOf(*query.constants.at(1));
  const Indices axes = ConstantOr(query, 3, IdentityIndices(indices.source.rank()));
  if (pads.size() != 2 * axes.size()) {
    throw Error(ErrorKind::kModel,
                fmt::format("Pad: expected {} pads, got {}", 2 * axes.size(), pads.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = NormalizeAxis(axes[i], indices.source.rank());
    indices.axes[static_cast<std::size_t>(axis)] =
        PadAxis(indices.source[axis], pads[i], pads[axes.size() + i], mode);
  }
  CheckExtents(query, indices);
  return indices;
}

AxisIndices ExpandIndices(const KernelQuery& query) {
  AxisIndices indices = WholeAxes(query);
  const Shape& output = query.outputs.at(0)->shape;
  for (int axis = 0; axis < output.rank(); ++axis) {
    if (indices.source[axis] == 1) {
      indices.axes[static_cast<std::size_t>(axis)].assign(static_cast<std::size_t>(output[axis]),
                                                          0);
    }
  }
  CheckExtents(query, indices);
  return indices;
}

AxisIndices TileIndices(const KernelQuery& query) {
  AxisIndices indices = WholeAxes(query);
  const Shape& output = query.outputs.at(0)->shape;
  for (int axis = 0; axis < output.rank(); ++axis) {
    const std::int64_t extent = indices.source[axis];
    if (extent == 0 ? output[axis] != 0 : output[axis] % extent != 0) {
      throw Error(ErrorKind::kModel, fmt::format("Tile: output {} is no multiple of input {}",
                                                 output.ToString(), indices.source.ToString()));
    }
    Indices& axis_indices = indices.axes[static_cast<std::size_t>(axis)];
    axis_indices = IdentityIndices(output[axis]);
    for (std::int64_t& i : axis_indices) {
      i %= extent;
    }
  }
  return indices;
}

// An axis that shrinks loses floor(half) of the difference in front, one that grows gets it.
AxisIndices CenterCropPadIndices(const KernelQuery& query) {
  AxisIndices indices = WholeAxes(query);
  const Shape& output = query.outputs.at(0)->shape;
  for (int axis = 0; axis < output.rank(); ++axis) {
    const std::int64_t extent = indices.source[axis];
    const std::int64_t shift =
        output[axis] < extent ? (extent - output[axis]) / 2 : -((output[axis] - extent) / 2);
    Indices& axis_indices = indices.axes[static_cast<std::size_t>(axis)];
    axis_indices = IdentityIndices(output[axis]);
    for (std::int64_t& i : axis_indices) {
      i = i + shift >= 0 && i + shift < extent ? i + shift : kFill;
    }
  }
  return indices;
}

}  // namespace halftone
