// Inner loops of global pooling: each plane is reduced to one element.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Contiguous planes, each pooled to one element: the maximum (NaN if any element is), or the
// average: the sum in fp32 divided by `count`.
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
