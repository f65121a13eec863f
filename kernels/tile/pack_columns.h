// Packing of a matrix B whose columns are contiguous, such as keys of attention or a transposed B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/pack_panels.h"

namespace halftone {

// Packs one panel to `target`, as PackPanels() does, from a source with step_stride 1. Transposes
// blocks in registers.
void PackColumns(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
                 std::byte* target) noexcept;

}  // namespace halftone
