// Shape rules of operators on images: windows that are spread, sampled or resized.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/error.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"
#include "src/ir/window.h"

namespace halftone {

using namespace shape_rules;  // NOLINT(google-build-using-namespace): this file's own helpers

std::vector<TensorType> ConvTransposeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& w = query.inputs.at(1)->shape;
  const std::int64_t group = query.attributes.Int("group", 1);
  if (x.shape.rank() < 3 || w.rank() != x.shape.rank() || group < 1 ||
      group > std::max<std::int64_t>(w[0], 1) || x.shape[1] != w[0] || w[0] % group != 0) {
    ThrowModel(fmt::format("input {} and weights {} do not fit {} groups", x.shape.ToString(),
                           w.ToString(), group));
  }
  const std::int64_t channels = w[1] * group;
  if (Present(query, 2)) {
    RequireShape(query.inputs[2]->shape, {channels}, "B");
  }
  const Window window =
      TransposedWindowOf(query.attributes, x.shape, {w.dims().begin() + 2, w.dims().end()});
  std::vector<std::int64_t> dims = {x.shape[0], channels};
  dims.insert(dims.end(), window.output.begin(), window.output.end());
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> BoolShape(const ShapeQuery& query) {
  return {{DType::kBool, query.inputs.at(0)->shape}};
}

std::vector<TensorType> SpaceToDepthShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::int64_t block = query.attributes.Int("blocksize", 0);
  if (x.shape.rank() != 4 || block < 1 || x.shape[2] % block != 0 || x.shape[3] % block != 0) {
    ThrowModel(fmt::format("blocksize {} does not fit input {}", block, x.shape.ToString()));
  }
  const std::int64_t area = Shape{block, block}.ElementCount();
  return {{x.dtype,
           {x.shape[0], Shape{x.shape[1], area}.ElementCount(), x.shape[2] / block,
            x.shape[3] / block}}};
}

std::vector<TensorType> CenterCropPadShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  const std::vector<std::int64_t> target = IntegersOf(ConstantInput(query, 1, "shape"));
  std::vector<std::int64_t> axes = query.attributes.Ints("axes");
  for (int axis = 0; !query.attributes.Has("axes") && axis < type.shape.rank(); ++axis) {
    axes.push_back(axis);
  }
  if (axes.size() != target.size()) {
    ThrowModel(
        fmt::format("input 'shape': expected {} values, got {}", axes.size(), target.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (target[i] < 0) {
      ThrowModel(fmt::format("input 'shape': expected extents of at least 0, got {}", target[i]));
    }
    type.shape[NormalizeAxis(axes[i], type.shape.rank())] = target[i];
  }
  return {std::move(type)};
}

// Input [N, C * block elements, blocks].
std::vector<TensorType> Col2ImShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  RequireRank(x.shape, 3, "input");
  const std::vector<std::int64_t> image = IntegersOf(ConstantInput(query, 1, "image_shape"));
  const std::vector<std::int64_t> block = IntegersOf(ConstantInput(query, 2, "block_shape"));
  const std::int64_t elements = Shape(block).ElementCount();
  std::vector<std::int64_t> dims = {x.shape[0], 0};
  dims.insert(dims.end(), image.begin(), image.end());
  if (image.size() != block.size() || elements < 1 || x.shape[1] % elements != 0) {
    ThrowModel(fmt::format("blocks of {} do not fit images of {} and input {}",
                           Shape(block).ToString(), Shape(image).ToString(), x.shape.ToString()));
  }
  dims[1] = x.shape[1] / elements;
  const Window window = WindowOf(query.attributes, Shape(dims), block);
  if (Shape(window.output).ElementCount() != x.shape[2]) {
    ThrowModel(fmt::format("an image of {} has {} blocks, the input {} has {}",
                           Shape(image).ToString(), Shape(window.output).ElementCount(),
                           x.shape.ToString(), x.shape[2]));
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

// X [N, C, spatial...], grid [N, output spatial..., number of spatial axes].
std::vector<TensorType> GridSampleShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& grid = query.inputs.at(1)->shape;
  const int axes = x.shape.rank() - 2;
  if (axes < 1 || axes > 3 || grid.rank() != x.shape.rank() || grid[0] != x.shape[0] ||
      grid[grid.rank() - 1] != axes) {
    ThrowModel(fmt::format("grid {} does not fit input {}", grid.ToString(), x.shape.ToString()));
  }
  std::vector<std::int64_t> dims = {x.shape[0], x.shape[1]};
  dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> RoiAlignShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& rois = query.inputs.at(1)->shape;
  RequireRank(x.shape, 4, "X");
  RequireRank(rois, 2, "rois");
  RequireShape(rois, {rois[0], 4}, "rois");
  RequireShape(query.inputs.at(2)->shape, {rois[0]}, "batch_indices");
  return {{x.dtype,
           {rois[0], x.shape[1], query.attributes.Int("output_height", 1),
            query.attributes.Int("output_width", 1)}}};
}

// rois [regions, 5]: image, left, top, right, bottom.
std::vector<TensorType> MaxRoiPoolShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& rois = query.inputs.at(1)->shape;
  RequireRank(x.shape, 4, "X");
  RequireRank(rois, 2, "rois");
  RequireShape(rois, {rois[0], 5}, "rois");
  const std::vector<std::int64_t> pooled = query.attributes.Ints("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    ThrowModel(fmt::format("attribute 'pooled_shape': expected 2 extents of at least 1, got {}",
                           Shape(pooled).ToString()));
  }
  return {{x.dtype, {rois[0], x.shape[1], pooled[0], pooled[1]}}};
}

// X [N, C, H, W], W [M, C / group, kh, kw], offset [N, offset_group kh kw 2, rows, columns], B [M],
// mask [N, offset_group kh kw, rows, columns].
std::vector<TensorType> DeformConvShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Shape& w = query.inputs.at(1)->shape;
  RequireRank(x.shape, 4, "X");
  RequireRank(w, 4, "W");
  const std::int64_t group = query.attributes.Int("group", 1);
  const std::int64_t parts = query.attributes.Int("offset_group", 1);
  if (group < 1 || w[1] < 1 || x.shape[1] % group != 0 || x.shape[1] / group != w[1] ||
      w[0] % group != 0 || parts < 1 || x.shape[1] % parts != 0) {
    ThrowModel(fmt::format("input {} and weights {} do not fit {} groups and {} of offsets",
                           x.shape.ToString(), w.ToString(), group, parts));
  }
  const Window window = WindowOf(query.attributes, x.shape, {w[2], w[3]});
  const std::int64_t taps = Shape{parts, w[2], w[3]}.ElementCount();
  const std::int64_t rows = window.output[0];
  const std::int64_t columns = window.output[1];
  RequireShape(query.inputs.at(2)->shape,
               {x.shape[0], Shape{taps, 2}.ElementCount(), rows, columns}, "offset");
  if (Present(query, 3)) {
    RequireShape(query.inputs[3]->shape, {w[0]}, "B");
  }
  if (Present(query, 4)) {
    RequireShape(query.inputs[4]->shape, {x.shape[0], taps, rows, columns}, "mask");
  }
  return {{x.dtype, {x.shape[0], w[0], rows, columns}}};
}

namespace {

// The extents of `sizes` where all axes keep one scale: the least that axis and size allow, or the
// largest.
void KeepAspectRatio(const Shape& input, const std::vector<std::int64_t>& axes, bool not_larger,
                     std::vector<double>& sizes) {
  double scale = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto extent = static_cast<double>(input[NormalizeAxis(axes[i], input.rank())]);
    const double own = sizes[i] / std::max(extent, 1.0);
    scale = i == 0 ? own : not_larger ? std::min(scale, own) : std::max(scale, own);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto extent = static_cast<double>(input[NormalizeAxis(axes[i], input.rank())]);
    sizes[i] = std::floor(scale * extent + 0.5);  // half up
  }
}

}  // namespace

std::vector<TensorType> ResizeShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  const auto given = [&](std::size_t input) {
    return Present(query, input) && query.inputs[input]->shape.ElementCount() > 0;
  };
  std::vector<std::int64_t> axes = query.attributes.Ints("axes");
  for (int axis = 0; !query.attributes.Has("axes") && axis < type.shape.rank(); ++axis) {
    axes.push_back(axis);
  }
  if (given(2) == given(3)) {
    ThrowModel("expected exactly one of the inputs 'scales' and 'sizes'");
  }
  std::vector<double> values =
      DoublesOf(given(3) ? ConstantInput(query, 3, "sizes") : ConstantInput(query, 2, "scales"));
  if (values.size() != axes.size()) {
    ThrowModel(fmt::format("expected {} scales or sizes, got {}", axes.size(), values.size()));
  }
  const std::string policy = query.attributes.Text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    ThrowModel(
        fmt::format("attribute 'keep_aspect_ratio_policy': expected stretch, not_larger or "
                    "not_smaller, got '{}'",
                    policy));
  }
  if (given(3) && policy != "stretch") {
    KeepAspectRatio(type.shape, axes, policy == "not_larger", values);
  }
  std::vector<double> region;  // tf_crop_and_resize: starts, then ends
  if (given(1)) {
    region = DoublesOf(ConstantInput(query, 1, "roi"));
    if (region.size() != 2 * axes.size()) {
      ThrowModel(
          fmt::format("input 'roi': expected {} values, got {}", 2 * axes.size(), region.size()));
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = NormalizeAxis(axes[i], type.shape.rank());
    const double part = region.empty() ? 1 : region[axes.size() + i] - region[i];
    const double extent =
        given(3) ? values[i] : std::floor(static_cast<double>(type.shape[axis]) * part * values[i]);
    if (!(extent >= 0 && extent < 0x1.0p40)) {
      ThrowModel(fmt::format("axis {} would get the extent {}", axis, extent));
    }
    type.shape[axis] = static_cast<std::int64_t>(extent);
  }
  return {std::move(type)};
}

}  // namespace halftone
