// Row loop of planes.h: rows of a plane, converted, padded and sorted by phase.
#pragma once

#include <cstdint>

#include "kernels/conv/planes.h"

namespace halftone {

struct PlaneRows {
  const WindowGeometry* window = nullptr;
  const PlaneLayout* layout = nullptr;
  DType source_dtype = DType::kFloat32;
  const std::byte* source = nullptr;
  const std::byte* source_end = nullptr;  // end of readable memory: the end of the last plane
  float padding = 0.0F;
  DType to = DType::kFloat32;  // or bfloat16; or float16 if the source is float16
  void* target = nullptr;
};

// Fills the plane; writes nothing behind it.
void LayOutRows(const PlaneRows& rows) noexcept;

}  // namespace halftone
