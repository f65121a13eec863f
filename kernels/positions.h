// Positions in a data tensor that an index tensor names: along one axis (GatherElements,
// ScatterElements), or by tuples over the leading axes (GatherND, ScatterND).
#pragma once

#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

// Positions by one index each. The index is the coordinate of the data element along `axis`; its
// other coordinates are those of the index in the index tensor.
struct AxisPositions {
  std::int64_t count = 0;   // number of indices
  std::int64_t extent = 0;  // extent of the data along the axis
  int axis = 0;
  std::vector<std::int64_t> index_extents;
  std::vector<std::int64_t> data_strides;  // in elements

  // Index of the data element that index number `i` names with the value `at`.
  [[nodiscard]] std::int64_t DataIndex(std::int64_t i, std::int64_t at) const noexcept {
    std::int64_t result = 0;
    for (std::size_t a = index_extents.size(); a-- > 0;) {
      const std::int64_t own = i % index_extents[a];
      i /= index_extents[a];
      result += (static_cast<int>(a) == axis ? at : own) * data_strides[a];
    }
    return result;
  }
};

// Positions in input 0 that the indices in input 1 name. Error kModel if a constant index is
// outside the axis.
AxisPositions AxisPositionsOf(const KernelQuery& query);

// Positions by tuples of int64: each tuple names a slice of the data.
struct NdPositions {
  std::int64_t tuples = 0;
  std::int64_t slice = 1;             // elements of a slice
  std::vector<std::int64_t> extents;  // of the axes that tuples index, one for each number
  std::vector<std::int64_t> strides;  // of these axes, in elements

  // First element of the slice that tuple `i` of `indices` names, counted from the start of the
  // tuple's batch; -1 if the tuple is outside the data.
  [[nodiscard]] std::int64_t ElementAt(const std::int64_t* indices, std::int64_t i) const noexcept {
    const auto width = static_cast<std::int64_t>(extents.size());
    std::int64_t element = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      std::int64_t at = indices[i * width + k];
      at += at < 0 ? extents[axis] : 0;
      if (at < 0 || at >= extents[axis]) {
        return -1;
      }
      element += at * strides[axis];
    }
    return element;
  }
};

// Positions in input 0 that the tuples in input 1 name. The tuples index the axes behind the first
// `batch` axes. Error kModel if a constant tuple is outside the data.
NdPositions NdPositionsOf(const KernelQuery& query, int batch);

}  // namespace halftone
