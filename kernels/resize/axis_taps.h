// Taps of Resize along one axis: the source elements of each output element, and their weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

// Output index o reads source[index[o * width + k]] with weight[o * width + k] for k < width.
// Indices lie inside the source, except kFill of nearest (see `outside`). The weights of one output
// sum to 1.
struct AxisTaps {
  std::int64_t source_extent = 0;
  // Taps of an output index: 1 for nearest, 2 for linear, 4 for cubic; linear and cubic have more
  // with antialias. 1 also for an axis that is only copied.
  int width = 1;
  std::vector<std::int64_t> index;
  std::vector<double> weight;
  // Flag for each output index, only with tf_crop_and_resize: true if its coordinate is outside the
  // source, so that it gets the extrapolation value. The index of nearest is then kFill.
  std::vector<bool> outside;

  [[nodiscard]] std::int64_t output_extent() const {
    return static_cast<std::int64_t>(index.size()) / width;
  }

  [[nodiscard]] bool IsIdentity() const;
};

// Taps of each axis from attributes, shapes and the constant scales, with coordinates and weights
// computed in double. Error kModel for unknown modes, impossible extents, and scales that are not
// above 0 or do not fit the input.
std::vector<AxisTaps> ResizeTaps(const KernelQuery& query);

// Reason why no kernel supports this Resize; empty if one does.
std::string_view RefuseResize(const KernelQuery& query);

}  // namespace halftone
