// The inner loops of global pooling: planes are joined to one element each.
#pragma once

#include <cstdint>

#include "src/ir/dtype.h"

namespace halftone {

// Planes behind each other, each pooled to one element: the maximum (NaN if any is), or the sum in
// fp32 over `count`.
struct WholePlanes {
  bool average = false;
  DType dtype = DType::kFloat32;  // of both
  const void* x = nullptr;
  std::int64_t count = 0;  // elements of a plane
  std::int64_t planes = 0;
  void* y = nullptr;
};

void PoolWholePlanes(const WholePlanes& pool) noexcept;

}  // namespace halftone
