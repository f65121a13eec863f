// GatherElements and GatherND: elements or slices of the data by positions. An index outside the
// data reads nothing and writes zeros; a constant index outside is an error in prepare().
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PrepareGatherElements(const KernelQuery& query);
void RunGatherElements(const KernelArgs& args) noexcept;           // runs of indices
void RunGatherElementsReference(const KernelArgs& args) noexcept;  // index by index

std::unique_ptr<KernelState> PrepareGatherNd(const KernelQuery& query);
void RunGatherNd(const KernelArgs& args) noexcept;

}  // namespace halftone
