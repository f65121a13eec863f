// Runs of indices along which the data advances by a constant stride. The loops of GatherElements
// and ScatterElements iterate over runs instead of single positions.
#pragma once

#include <algorithm>

#include "kernels/positions.h"

namespace halftone {

struct AxisRuns {
  // One axis of the index tensor: number of indices along it, and stride of the data in elements.
  // The stride is 0 for the axis along which the indices give the position.
  struct Walk {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
  };

  Walk run;                      // innermost axis
  std::vector<Walk> outer;       // other axes, outermost first
  std::int64_t axis_stride = 1;  // stride of the data along the axis that the indices are for

  // Calls body(first, count, base) for each run of the indices [begin, end), in order. For k below
  // `count`, index first + k with the value `at` names the data element
  // base + k * run.stride + at * axis_stride.
  template <typename Body>
  void ForEach(std::int64_t begin, std::int64_t end, const Body& body) const noexcept {
    while (begin < end) {
      const std::int64_t skipped = begin % run.extent;
      const std::int64_t count = std::min(end - begin, run.extent - skipped);
      body(begin, count, BaseOf(begin / run.extent) + skipped * run.stride);
      begin += count;
    }
  }

 private:
  [[nodiscard]] std::int64_t BaseOf(std::int64_t number) const noexcept {
    std::int64_t base = 0;
    for (std::size_t i = outer.size(); i-- > 1;) {
      base += number % outer[i].extent * outer[i].stride;
      number /= outer[i].extent;
    }
    return outer.empty() ? 0 : base + number * outer[0].stride;
  }
};

// The runs of these positions. Axes with one index are left out, and axes that continue each other
// in the data are merged.
AxisRuns AxisRunsOf(const AxisPositions& positions);

}  // namespace halftone
