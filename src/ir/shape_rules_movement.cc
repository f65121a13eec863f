// Shape rules of operators that move or produce data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/error.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

using Extents = std::vector<std::int64_t>;

using shape_rules::ConstantInput;
using shape_rules::Present;
using shape_rules::RequireOne;
using shape_rules::ThrowModel;

Extents ConstantExtents(const ShapeQuery& query, std::size_t input, std::string_view name) {
  return IntegersOf(ConstantInput(query, input, name));
}

double ConstantNumber(const ShapeQuery& query, std::size_t input, std::string_view name) {
  const std::vector<double> values = DoublesOf(ConstantInput(query, input, name));
  if (values.size() != 1) {
    ThrowModel(fmt::format("input '{}': expected one value, got {}", name, values.size()));
  }
  return values[0];
}

}  // namespace

std::vector<TensorType> ConcatShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  if (!query.attributes.Has("axis")) {
    ThrowModel("attribute 'axis' is missing");
  }
  const int axis = NormalizeAxis(query.attributes.Int("axis", 0), type.shape.rank());
  for (std::size_t i = 1; i < query.inputs.size(); ++i) {
    Shape other = query.inputs[i]->shape;
    if (other.rank() != type.shape.rank()) {
      ThrowModel(
          fmt::format("shapes {} and {} differ in rank", type.shape.ToString(), other.ToString()));
    }
    const std::int64_t extent = other[axis];
    other[axis] = type.shape[axis];
    if (other != type.shape) {
      other[axis] = extent;
      ThrowModel(fmt::format("shapes {} and {} differ outside axis {}", type.shape.ToString(),
                             other.ToString(), axis));
    }
    type.shape[axis] += extent;
    static_cast<void>(type.shape.ElementCount());  // before the sum could overflow
  }
  return {std::move(type)};
}

std::vector<TensorType> ConstantOfShapeShape(const ShapeQuery& query) {
  const Tensor* value = query.attributes.TensorOrNull("value");
  if (value != nullptr && value->ElementCount() != 1) {
    ThrowModel(
        fmt::format("attribute 'value': expected one element, got {}", value->type().ToString()));
  }
  return {{value != nullptr ? value->dtype() : DType::kFloat32,
           Shape(ConstantExtents(query, 0, "input"))}};
}

std::vector<TensorType> DepthToSpaceShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::int64_t block = query.attributes.Int("blocksize", 0);
  constexpr std::int64_t kMostBlock = std::int64_t{1} << 20;
  if (x.shape.rank() != 4 || block < 1 || block > kMostBlock || x.shape[1] % (block * block) != 0) {
    ThrowModel(fmt::format("blocksize {} does not fit input {}", block, x.shape.ToString()));
  }
  return {{x.dtype,
           {x.shape[0], x.shape[1] / (block * block), x.shape[2] * block, x.shape[3] * block}}};
}

std::vector<TensorType> ExpandShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  return {{x.dtype, BroadcastShapes(x.shape, Shape(ConstantExtents(query, 1, "shape")))}};
}

std::vector<TensorType> FlattenShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::int64_t stated = query.attributes.Int("axis", 1);
  const int rank = x.shape.rank();
  const int axis = stated == rank ? rank : NormalizeAxis(stated, std::max(rank, 1));
  return {{x.dtype, {x.shape.ElementCount(0, axis), x.shape.ElementCount(axis, rank)}}};
}

std::vector<TensorType> GatherShape(const ShapeQuery& query) {
  const TensorType& data = *query.inputs.at(0);
  const Extents& indices = query.inputs.at(1)->shape.dims();
  const int axis = NormalizeAxis(query.attributes.Int("axis", 0), data.shape.rank());
  Extents dims = data.shape.dims();
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, indices.begin(), indices.end());
  return {{data.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> PadShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  RequireOne(query, 2, "constant_value");
  const Extents pads = ConstantExtents(query, 1, "pads");
  Extents axes(static_cast<std::size_t>(type.shape.rank()));
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  if (Present(query, 3)) {
    axes = ConstantExtents(query, 3, "axes");
  }
  if (pads.size() != 2 * axes.size()) {
    ThrowModel(
        fmt::format("input 'pads': expected {} values, got {}", 2 * axes.size(), pads.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = NormalizeAxis(axes[i], type.shape.rank());
    std::int64_t extent = type.shape[axis];
    if (__builtin_add_overflow(extent, pads[i], &extent) ||
        __builtin_add_overflow(extent, pads[axes.size() + i], &extent)) {
      ThrowModel(fmt::format("input 'pads': {} and {} are no sensible padding of axis {}", pads[i],
                             pads[axes.size() + i], axis));
    }
    type.shape[axis] = extent;
    if (extent < 0) {
      ThrowModel(fmt::format("input 'pads' removes more than axis {} has", axis));
    }
  }
  return {std::move(type)};
}

std::vector<TensorType> RangeShape(const ShapeQuery& query) {
  const double start = ConstantNumber(query, 0, "start");
  const double limit = ConstantNumber(query, 1, "limit");
  const double delta = ConstantNumber(query, 2, "delta");
  const double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (delta == 0 || std::isnan((limit - start) / delta) || count > 0x1.0p40) {
    ThrowModel(
        fmt::format("a range from {} to {} by {} has no sensible length", start, limit, delta));
  }
  return {{query.inputs[0]->dtype, {static_cast<std::int64_t>(count)}}};
}

std::vector<TensorType> ReshapeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  Extents dims = ConstantExtents(query, 1, "shape");
  const bool allow_zero = query.attributes.Int("allowzero", 0) != 0;
  std::int64_t known = 1;
  int inferred = -1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allow_zero) {
      if (static_cast<int>(i) >= x.shape.rank()) {
        ThrowModel(
            fmt::format("shape value 0 at axis {} copies from input {}, which has no such axis", i,
                        x.shape.ToString()));
      }
      dims[i] = x.shape[static_cast<int>(i)];
    }
    if (dims[i] == -1 && inferred < 0) {
      inferred = static_cast<int>(i);
    } else if (dims[i] < 0) {
      ThrowModel(fmt::format("shape value {} at axis {} is neither an extent nor the only -1",
                             dims[i], i));
    } else {
      known = Shape{known, dims[i]}.ElementCount();
    }
  }
  const std::int64_t count = x.shape.ElementCount();
  if (inferred >= 0) {
    if (known == 0 || count % known != 0) {
      ThrowModel(fmt::format("{} elements of input {} cannot be divided into rows of {}", count,
                             x.shape.ToString(), known));
    }
    dims[static_cast<std::size_t>(inferred)] = count / known;
  } else if (known != count) {
    ThrowModel(fmt::format("input {} has {} elements, the target shape {} has {}",
                           x.shape.ToString(), count, Shape(dims).ToString(), known));
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> ShapeOfShape(const ShapeQuery& query) {
  const int rank = query.inputs.at(0)->shape.rank();
  const auto clamp = [rank](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamp(query.attributes.Int("start", 0));
  const std::int64_t end = clamp(query.attributes.Int("end", rank));
  return {{DType::kInt64, {std::max<std::int64_t>(end - start, 0)}}};
}

std::vector<TensorType> SizeOfShape(const ShapeQuery& /*query*/) {
  return {{DType::kInt64, Shape{}}};
}

std::vector<TensorType> SliceShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  const Extents starts = ConstantExtents(query, 1, "starts");
  const Extents ends = ConstantExtents(query, 2, "ends");
  Extents axes(starts.size());
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  if (Present(query, 3)) {
    axes = ConstantExtents(query, 3, "axes");
  }
  const Extents steps =
      Present(query, 4) ? ConstantExtents(query, 4, "steps") : Extents(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    ThrowModel("inputs 'starts', 'ends', 'axes' and 'steps' differ in length");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = NormalizeAxis(axes[i], type.shape.rank());
    const std::int64_t extent = type.shape[axis];
    const std::int64_t step = steps[i];
    if (step == 0) {
      ThrowModel("input 'steps' holds 0");
    }
    if (extent == 0) {
      continue;
    }
    const auto bound = [&](std::int64_t index, std::int64_t low, std::int64_t high) {
      return std::clamp(index < 0 ? index + extent : index, low, high);
    };
    const std::int64_t start =
        step > 0 ? bound(starts[i], 0, extent) : bound(starts[i], 0, extent - 1);
    const std::int64_t end = step > 0 ? bound(ends[i], 0, extent) : bound(ends[i], -1, extent - 1);
    const std::int64_t span = step > 0 ? end - start : start - end;
    const std::int64_t magnitude = step > 0 ? step : -std::max(step, -(std::int64_t{1} << 62));
    type.shape[axis] = span <= 0 ? 0 : (span - 1) / magnitude + 1;
  }
  return {std::move(type)};
}

std::vector<TensorType> SplitShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const int axis = NormalizeAxis(query.attributes.Int("axis", 0), x.shape.rank());
  const std::int64_t extent = x.shape[axis];
  const auto outputs = static_cast<std::int64_t>(query.output_count);
  Extents parts;
  if (Present(query, 1)) {
    parts = ConstantExtents(query, 1, "split");
  } else {
    // Equal parts, the last one smaller (num_outputs, opset 18).
    const std::int64_t part = (extent + outputs - 1) / std::max<std::int64_t>(outputs, 1);
    for (std::int64_t i = 0; i < outputs; ++i) {
      parts.push_back(std::clamp<std::int64_t>(extent - i * part, 0, part));
    }
  }
  std::int64_t sum = 0;
  for (const std::int64_t part : parts) {
    if (part < 0 || part > extent - sum) {
      ThrowModel(fmt::format("a part of {} does not fit into what is left of axis {} of {}", part,
                             axis, x.shape.ToString()));
    }
    sum += part;
  }
  if (static_cast<std::int64_t>(parts.size()) != outputs || sum != extent) {
    ThrowModel(fmt::format("{} parts of {} elements do not split axis {} of {} into {} outputs",
                           parts.size(), sum, axis, x.shape.ToString(), outputs));
  }
  std::vector<TensorType> types;
  for (const std::int64_t part : parts) {
    types.push_back(x);
    types.back().shape[axis] = part;
  }
  return types;
}

std::vector<TensorType> SqueezeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  std::vector<bool> removed(static_cast<std::size_t>(x.shape.rank()), false);
  if (Present(query, 1)) {
    for (const std::int64_t stated : ConstantExtents(query, 1, "axes")) {
      const int axis = NormalizeAxis(stated, x.shape.rank());
      if (x.shape[axis] != 1) {
        ThrowModel(fmt::format("axis {} of {} is not 1", axis, x.shape.ToString()));
      }
      removed[static_cast<std::size_t>(axis)] = true;
    }
  } else {
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
      removed[static_cast<std::size_t>(axis)] = x.shape[axis] == 1;
    }
  }
  Extents dims;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    if (!removed[static_cast<std::size_t>(axis)]) {
      dims.push_back(x.shape[axis]);
    }
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> TileShape(const ShapeQuery& query) {
  TensorType type = *query.inputs.at(0);
  const Extents repeats = ConstantExtents(query, 1, "repeats");
  if (static_cast<int>(repeats.size()) != type.shape.rank()) {
    ThrowModel(fmt::format("input 'repeats': expected {} values, got {}", type.shape.rank(),
                           repeats.size()));
  }
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    type.shape[axis] =
        Shape{type.shape[axis], repeats[static_cast<std::size_t>(axis)]}.ElementCount();
  }
  return {std::move(type)};
}

std::vector<TensorType> TransposeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  Extents order = query.attributes.Ints("perm");
  if (order.empty()) {
    for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
      order.push_back(axis);
    }
  }
  Extents sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool legal = static_cast<int>(order.size()) == x.shape.rank();
  for (std::size_t i = 0; legal && i < sorted.size(); ++i) {
    legal = sorted[i] == static_cast<std::int64_t>(i);
  }
  if (!legal) {
    ThrowModel(fmt::format("attribute 'perm' is no permutation of the {} axes of {}",
                           x.shape.rank(), x.shape.ToString()));
  }
  Extents dims;
  for (const std::int64_t axis : order) {
    dims.push_back(x.shape[static_cast<int>(axis)]);
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> UnsqueezeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const Extents axes = ConstantExtents(query, 1, "axes");
  const int rank = x.shape.rank() + static_cast<int>(axes.size());
  std::vector<bool> inserted(static_cast<std::size_t>(rank), false);
  for (const std::int64_t stated : axes) {
    const auto axis = static_cast<std::size_t>(NormalizeAxis(stated, rank));
    if (inserted[axis]) {
      ThrowModel(fmt::format("input 'axes' names axis {} twice", axis));
    }
    inserted[axis] = true;
  }
  Extents dims;
  int next = 0;
  for (int axis = 0; axis < rank; ++axis) {
    dims.push_back(inserted[static_cast<std::size_t>(axis)] ? 1 : x.shape[next++]);
  }
  return {{x.dtype, Shape(std::move(dims))}};
}

}  // namespace halftone
