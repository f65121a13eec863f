// The rows of a plane, converted, padded and sorted by phase: the vectorised part of planes.h.
#pragma once

#include <cstdint>

#include "kernels/conv/planes.h"

namespace halftone {

struct PlaneRows {
  const WindowGeometry* window = nullptr;
  const PlaneLayout* layout = nullptr;
  DType source_dtype = DType::kFloat32;
  const std::byte* source = nullptr;
  const std::byte* source_end = nullptr;  // of the memory that may be read: of the last plane
  float padding = 0.0F;
  bool to_bfloat16 = false;  // else to float
  void* target = nullptr;
};

// Writes nothing behind the plane.
void LayOutRows(const PlaneRows& rows) noexcept;

}  // namespace halftone
