// The pooling operators with everything resolved. 1 to 3 spatial axes; missing ones have extent 1
// and stand first, so that the last axis is always the contiguous one.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr std::size_t kPoolAxes = 3;

struct PoolCall {
  std::int64_t planes = 0;  // batch x channels
  std::array<std::int64_t, kPoolAxes> input{1, 1, 1};
  std::array<std::int64_t, kPoolAxes> output{1, 1, 1};
  std::array<std::int64_t, kPoolAxes> kernel{1, 1, 1};
  std::array<std::int64_t, kPoolAxes> stride{1, 1, 1};
  std::array<std::int64_t, kPoolAxes> dilation{1, 1, 1};
  std::array<std::int64_t, kPoolAxes> pad{0, 0, 0};      // at the begin
  std::array<std::int64_t, kPoolAxes> pad_end{0, 0, 0};  // as stated
  bool average = false;
  bool count_include_pad = false;
  DType dtype = DType::kFloat32;

  [[nodiscard]] std::int64_t InputPixels() const { return input[0] * input[1] * input[2]; }

  [[nodiscard]] std::int64_t OutputPixels() const { return output[0] * output[1] * output[2]; }
};

// The taps [first, last) of one axis that a window reads, and the number that an average divides
// by.
struct TapRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t counted = 0;
};

// The window at output index `out` of `axis`. With count_include_pad, taps in the stated padding
// count, taps beyond it (which ceil_mode makes possible) do not (ONNX AveragePool, since 19).
TapRange TapsAt(const PoolCall& call, std::size_t axis, std::int64_t out);

// Global pooling is a window over all of the input. Error kModel for a window that does not fit,
// kUnsupported for more than 3 spatial axes or a second output.
PoolCall PoolCallOf(const KernelQuery& query);

}  // namespace halftone
