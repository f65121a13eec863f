// Packing of a matrix B of floats into bfloat16 parts (float_parts.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/pack_panels.h"

namespace halftone {

// Packs one panel of a float32 source to `target`. A step is a chunk of kPartChunk rows of B. It
// has kPartChunk / 2 rows for each part, as wide as the tile, of pairs that are neighbours along k.
// Elements beyond k and n are zero.
void PackParts(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::byte* target) noexcept;

}  // namespace halftone
