// Kernel tables that tests plant.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Makes AllKernelTables() return `tables`, which must live until the call is undone with an empty
// span. Libraries and programs do not call it. Call it while no other thread selects a kernel.
void PlantKernelTablesForTests(std::span<const std::span<const KernelEntry>> tables);

}  // namespace halftone
