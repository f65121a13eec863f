#include "kernels/positions.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowOutside(OpKind op, std::int64_t index, std::int64_t extent) {
  throw Error(ErrorKind::kModel, fmt::format("{}: index {} is outside [-{}, {}) of the data's axis",
                                             InfoOf(op).name, index, extent, extent));
}

}  // namespace

AxisPositions AxisPositionsOf(const KernelQuery& query) {
  const Shape& data = query.inputs.at(0)->shape;
  const Shape& indices = query.inputs.at(1)->shape;
  AxisPositions positions;
  positions.axis = NormalizeAxis(query.attributes->Int("axis", 0), data.rank());
  positions.count = indices.ElementCount();
  positions.extent = data[positions.axis];
  positions.index_extents = indices.dims();
  positions.data_strides = StridesOf(data);
  if (const Tensor* constant = query.Constant(1)) {
    for (const std::int64_t index : IntegersOf(*constant)) {
      if (index < -positions.extent || index >= positions.extent) {
        ThrowOutside(query.op, index, positions.extent);
      }
    }
  }
  return positions;
}

NdPositions NdPositionsOf(const KernelQuery& query, int batch) {
  const Shape& data = query.inputs.at(0)->shape;
  const Shape& indices = query.inputs.at(1)->shape;
  const int width = static_cast<int>(indices[indices.rank() - 1]);
  NdPositions positions;
  positions.tuples = indices.ElementCount(0, indices.rank() - 1);
  positions.slice = data.ElementCount(batch + width, data.rank());
  const std::vector<std::int64_t> strides = StridesOf(data);
  for (int axis = batch; axis < batch + width; ++axis) {
    positions.extents.push_back(data[axis]);
    positions.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  if (const Tensor* constant = query.Constant(1)) {
    const std::vector<std::int64_t> values = IntegersOf(*constant);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t extent = positions.extents[i % static_cast<std::size_t>(width)];
      if (values[i] < -extent || values[i] >= extent) {
        ThrowOutside(query.op, values[i], extent);
      }
    }
  }
  return positions;
}

}  // namespace halftone
