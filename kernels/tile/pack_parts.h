// Panels of B of floats in bfloat16 parts (float_parts.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/pack_panels.h"

namespace halftone {

// Packs one panel. A step is a chunk of kPartChunk rows of B: for each part, kPartChunk / 2 rows of
// pairs of neighbours along k, as wide as the tile. Elements beyond k and n are zero. The source is
// float32.
void PackParts(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
               std::byte* target) noexcept;

}  // namespace halftone
