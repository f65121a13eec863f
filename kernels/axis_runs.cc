#include "kernels/axis_runs.h"

namespace halftone {

// Drops axes of one index, and merges an axis with the next one if their elements continue each
// other. The gathered axis has stride 0, because the index gives the position along it.
AxisRuns AxisRunsOf(const AxisPositions& positions) {
  std::vector<AxisRuns::Walk> walks;  // innermost first
  for (std::size_t a = positions.index_extents.size(); a-- > 0;) {
    const bool own = static_cast<int>(a) != positions.axis;
    const AxisRuns::Walk walk{positions.index_extents[a], own ? positions.data_strides[a] : 0};
    if (walk.extent == 1) {
      continue;
    }
    if (!walks.empty() && walk.stride == walks.back().extent * walks.back().stride) {
      walks.back().extent *= walk.extent;
    } else {
      walks.push_back(walk);
    }
  }
  AxisRuns runs{.axis_stride = positions.data_strides[static_cast<std::size_t>(positions.axis)]};
  if (!walks.empty()) {
    runs.run = walks.front();
    runs.outer.assign(walks.rbegin(), walks.rend() - 1);
  }
  return runs;
}

}  // namespace halftone
