// Inner loops of global pooling: each plane is reduced to one element.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Contiguous planes. The result of each is the maximum (NaN if any element is NaN), or the average,
// which is the sum in float32 divided by `count`.
struct WholePlanes {
  bool average = false;
  DType dtype = DType::kFloat32;  // of x and y
  const void* x = nullptr;
  std::int64_t count = 0;  // elements of a plane
  std::int64_t planes = 0;
  void* y = nullptr;
};

void PoolWholePlanes(const WholePlanes& pool) noexcept;

}  // namespace halftone
