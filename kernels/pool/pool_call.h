// Pooling with all attributes and shapes resolved.
#pragma once

#include <cstdint>

#include "kernels/conv/window_geometry.h"
#include "kernels/kernel_table.h"
#include "src/ir/layout.h"

namespace halftone {

struct PoolCall : WindowGeometry {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  bool channels_last = false;  // input and result are [N, H, W, C]
  bool average = false;
  bool count_include_pad = false;
  DType dtype = DType::kFloat32;
  double norm = 0;                  // LpPool: the exponent p
  bool indices = false;             // MaxPool: the second output is wanted
  bool indices_by_columns = false;  // storage_order 1: the first spatial axis counts fastest

  [[nodiscard]] std::int64_t planes() const { return batch * channels; }
};

// Taps [first, last) of a window along one axis that lie inside the input, and the number of taps
// along this axis that an average counts.
struct TapRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t counted = 0;
};

// Taps of the window at output index `out` of `axis`. With count_include_pad, taps in the stated
// padding count; taps beyond it (possible with ceil_mode) do not (ONNX AveragePool, since 19).
TapRange TapsAt(const PoolCall& call, std::size_t axis, std::int64_t out);

// Global pooling becomes a window over the whole input. Error kModel for a window that does not fit
// or an LpPool exponent below 1, kUnsupported for other than 1 to 3 spatial axes.
PoolCall PoolCallOf(const KernelQuery& query);

}  // namespace halftone
