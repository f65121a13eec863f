// Panels of a matrix B with contiguous columns, such as keys of attention or a transposed B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tile/pack_panels.h"

namespace halftone {

// One panel of PackPanels(), for sources with step_stride 1: blocks are transposed in registers.
void PackColumns(const StridedMatrix& source, const PanelLayout& layout, std::int64_t panel,
                 std::byte* target) noexcept;

}  // namespace halftone
