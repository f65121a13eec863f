// Conversions between dtypes.
#pragma once

#include <span>

#include "kernels/kernel_table.h"
#include "kernels/part_run.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> CastKernels();

// See FindPartRun().
PartRun CastPartRun(const KernelEntry& entry);

}  // namespace halftone
