// Kernels that tests plant beside those of the tables.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Makes AllKernelTables() return `tables` as long as they live; empty: the own ones again. No
// library or program calls it. Call it where no other thread selects a kernel.
void PlantKernelTablesForTests(std::span<const std::span<const KernelEntry>> tables);

}  // namespace halftone
