// Loop that copies a channel of the input into the layout of planes.h: it converts, pads and sorts
// the rows by phase.
#pragma once

#include <cstdint>

#include "kernels/conv/planes.h"

namespace halftone {

struct PlaneRows {
  const WindowGeometry* window = nullptr;
  const PlaneLayout* layout = nullptr;
  DType source_dtype = DType::kFloat32;
  const std::byte* source = nullptr;      // the channel
  const std::byte* source_end = nullptr;  // end of the input's last channel: no reads from there on
  float padding = 0.0F;
  DType to = DType::kFloat32;  // float32 or bfloat16; or float16 if the source is float16
  void* target = nullptr;
};

// Fills the padding and all rows that some tap reads. Rows between them, which a stride skips, may
// keep their content. Nothing is written behind the plane.
void LayOutRows(const PlaneRows& rows) noexcept;

}  // namespace halftone
