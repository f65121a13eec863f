// Shape rules of operators that read or write at positions, sort, or select.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/box_selection.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"
#include "src/ir/slice_groups.h"

namespace halftone {

using namespace shape_rules;  // NOLINT(google-build-using-namespace): this file's own helpers

namespace {

// An index names an element along attribute 'axis'; along the others its own place does.
void RequireIndicesWithin(const ShapeQuery& query) {
  const Shape& data = query.inputs.at(0)->shape;
  const Shape& indices = query.inputs.at(1)->shape;
  RequireRank(indices, data.rank(), "indices");
  const int along = NormalizeAxis(query.attributes.Int("axis", 0), data.rank());
  for (int axis = 0; axis < data.rank(); ++axis) {
    if (axis != along && indices[axis] > data[axis]) {
      ThrowModel(fmt::format("indices {} are larger than data {} in axis {}", indices.ToString(),
                             data.ToString(), axis));
    }
  }
}

}  // namespace

std::vector<TensorType> GatherElementsShape(const ShapeQuery& query) {
  RequireIndicesWithin(query);
  return {{query.inputs[0]->dtype, query.inputs[1]->shape}};
}

std::vector<TensorType> GatherNdShape(const ShapeQuery& query) {
  const Shape& data = query.inputs.at(0)->shape;
  const Shape& indices = query.inputs.at(1)->shape;
  const std::int64_t batch = query.attributes.Int("batch_dims", 0);
  if (indices.rank() < 1 || batch < 0 || batch >= std::min(data.rank(), indices.rank()) ||
      indices[indices.rank() - 1] < 1 || indices[indices.rank() - 1] > data.rank() - batch) {
    ThrowModel(fmt::format("indices {} do not fit data {} with {} batch axes", indices.ToString(),
                           data.ToString(), batch));
  }
  for (int axis = 0; axis < batch; ++axis) {
    if (data[axis] != indices[axis]) {
      ThrowModel(fmt::format("indices {} and data {} differ in batch axis {}", indices.ToString(),
                             data.ToString(), axis));
    }
  }
  std::vector<std::int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + batch + indices[indices.rank() - 1],
              data.dims().end());
  return {{query.inputs[0]->dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> ScatterElementsShape(const ShapeQuery& query) {
  RequireIndicesWithin(query);
  RequireShape(query.inputs.at(2)->shape, query.inputs[1]->shape, "updates");
  return {*query.inputs[0]};
}

std::vector<TensorType> ScatterNdShape(const ShapeQuery& query) {
  const Shape& data = query.inputs.at(0)->shape;
  const Shape& indices = query.inputs.at(1)->shape;
  if (indices.rank() < 1 || indices[indices.rank() - 1] > data.rank()) {
    ThrowModel(fmt::format("indices {} do not fit data {}", indices.ToString(), data.ToString()));
  }
  std::vector<std::int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + indices[indices.rank() - 1], data.dims().end());
  RequireShape(query.inputs.at(2)->shape, Shape(std::move(dims)), "updates");
  return {*query.inputs[0]};
}

std::vector<TensorType> TensorScatterShape(const ShapeQuery& query) {
  const Shape& cache = query.inputs.at(0)->shape;
  const Shape& update = query.inputs.at(1)->shape;
  const int axis = NormalizeAxis(query.attributes.Int("axis", -2), cache.rank());
  Shape expected = cache;
  if (axis == 0 || update.rank() != cache.rank() || update[axis] > cache[axis]) {
    ThrowModel(fmt::format("update {} does not fit cache {} along axis {}", update.ToString(),
                           cache.ToString(), axis));
  }
  expected[axis] = update[axis];
  RequireShape(update, expected, "update");
  if (Present(query, 2)) {
    RequireShape(query.inputs[2]->shape, {cache[0]}, "write_indices");
  }
  return {*query.inputs[0]};
}

std::vector<TensorType> TopKShape(const ShapeQuery& query) {
  Shape shape = query.inputs.at(0)->shape;
  const int axis = NormalizeAxis(query.attributes.Int("axis", -1), shape.rank());
  const std::int64_t k = ConstantInteger(query, 1, "K");
  if (k < 0 || k > shape[axis]) {
    ThrowModel(fmt::format("input 'K': {} is not in [0, {}], the extent of axis {}", k, shape[axis],
                           axis));
  }
  shape[axis] = k;
  return Used(query, {{query.inputs[0]->dtype, shape}, {DType::kInt64, shape}});
}

std::vector<TensorType> CumSumShape(const ShapeQuery& query) {
  RequireOne(query, 1, "axis");
  return {*query.inputs.at(0)};
}

std::vector<TensorType> OneHotShape(const ShapeQuery& query) {
  std::vector<std::int64_t> dims = query.inputs.at(0)->shape.dims();
  const std::int64_t depth = ConstantInteger(query, 1, "depth");
  const int axis =
      NormalizeAxis(query.attributes.Int("axis", -1), static_cast<int>(dims.size()) + 1);
  RequireShape(query.inputs.at(2)->shape, {2}, "values");
  if (depth < 1) {
    ThrowModel(fmt::format("input 'depth': expected at least 1, got {}", depth));
  }
  dims.insert(dims.begin() + axis, depth);
  return {{query.inputs[2]->dtype, Shape(std::move(dims))}};
}

std::vector<TensorType> EyeLikeShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  RequireRank(x.shape, 2, "input");
  const std::int64_t onnx_type = query.attributes.Int("dtype", RowOf(x.dtype).onnx_type);
  const auto dtype = DTypeFromOnnx(static_cast<int>(onnx_type));
  if (!dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("attribute 'dtype': ONNX data type {} is not supported", onnx_type));
  }
  return {{*dtype, x.shape}};
}

std::vector<TensorType> TriluShape(const ShapeQuery& query) {
  if (query.inputs.at(0)->shape.rank() < 2) {
    ThrowModel(fmt::format("expected matrices, got {}", query.inputs[0]->shape.ToString()));
  }
  RequireOne(query, 1, "k");
  return {*query.inputs[0]};
}

std::vector<TensorType> ReverseSequenceShape(const ShapeQuery& query) {
  const Shape& x = query.inputs.at(0)->shape;
  const std::int64_t batch = query.attributes.Int("batch_axis", 1);
  const std::int64_t time = query.attributes.Int("time_axis", 0);
  const bool fits = (batch == 0 && time == 1) || (batch == 1 && time == 0);
  if (x.rank() < 2 || !fits) {
    ThrowModel(
        fmt::format("expected batch_axis and time_axis to be 0 and 1 or 1 and 0 of at "
                    "least 2 axes, got {} and {} of {}",
                    batch, time, x.ToString()));
  }
  RequireShape(query.inputs.at(1)->shape, {x[static_cast<int>(batch)]}, "sequence_lens");
  return {*query.inputs[0]};
}

std::vector<TensorType> CompressShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const std::vector<std::int64_t> condition = IntegersOf(ConstantInput(query, 1, "condition"));
  const std::int64_t kept =
      std::count_if(condition.begin(), condition.end(), [](std::int64_t c) { return c != 0; });
  const bool flat = !query.attributes.Has("axis");
  const int axis = flat ? 0 : NormalizeAxis(query.attributes.Int("axis", 0), x.shape.rank());
  const std::int64_t extent = flat ? x.shape.ElementCount() : x.shape[axis];
  if (static_cast<std::int64_t>(condition.size()) > extent) {
    ThrowModel(fmt::format("input 'condition': {} values for {} elements of {}", condition.size(),
                           extent, x.shape.ToString()));
  }
  Shape shape = flat ? Shape{kept} : x.shape;
  shape[axis] = kept;
  return {{x.dtype, shape}};
}

// indices, inverse_indices, counts of the elements, or with an axis of the slices along it.
std::vector<TensorType> UniqueShape(const ShapeQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const SliceSet slices = SliceSetOf(query.attributes, x);
  std::int64_t count = 0;
  if (query.planned_count) {
    count = *query.planned_count;
  } else {
    const Tensor& data = ConstantInput(query, 0, "X");
    std::vector<std::int64_t> order(static_cast<std::size_t>(slices.length));
    std::vector<SliceGroup> groups(order.size());
    count = GroupSlices(slices, data.data(), order.data(), groups.data());
  }
  return Used(
      query,
      {{DType::kInt64, {count}}, {DType::kInt64, {slices.length}}, {DType::kInt64, {count}}});
}

std::vector<TensorType> NonZeroShape(const ShapeQuery& query) {
  if (query.planned_count) {
    const std::int64_t axes = std::max(query.inputs.at(0)->shape.rank(), 1);
    return {{DType::kInt64, {axes, *query.planned_count}}};
  }
  const Tensor& x = ConstantInput(query, 0, "X");
  std::int64_t count = 0;
  for (const double value : DoublesOf(x)) {
    count += value != 0 ? 1 : 0;  // NaN counts
  }
  return {{DType::kInt64, {std::max(x.shape().rank(), 1), count}}};
}

std::vector<TensorType> NonMaxSuppressionShape(const ShapeQuery& query) {
  RequireRank(query.inputs.at(0)->shape, 3, "boxes");
  RequireRank(query.inputs.at(1)->shape, 3, "scores");
  const Shape& boxes = query.inputs[0]->shape;
  const Shape& scores = query.inputs[1]->shape;
  if (boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2]) {
    ThrowModel(
        fmt::format("boxes {} and scores {} do not fit", boxes.ToString(), scores.ToString()));
  }
  constexpr std::string_view kNames[] = {"boxes", "scores", "max_output_boxes_per_class",
                                         "iou_threshold", "score_threshold"};
  for (const std::size_t i : {2U, 3U, 4U}) {
    RequireOne(query, i, kNames[i]);
  }
  if (query.planned_count) {
    return {{DType::kInt64, {*query.planned_count, 3}}};
  }
  std::vector<const Tensor*> operands(std::size(kNames), nullptr);
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    operands[i] = Present(query, i) ? &ConstantInput(query, i, kNames[i]) : nullptr;
  }
  const auto selected = SelectBoxes(operands, query.attributes.Int("center_point_box", 0) != 0);
  return {{DType::kInt64, {static_cast<std::int64_t>(selected.size()), 3}}};
}

}  // namespace halftone
