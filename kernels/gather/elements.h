// GatherElements and GatherND, which copy the elements or slices of the data that indices name. An
// index outside the data reads nothing and writes zeros. A constant index outside the data is an
// Error kModel in prepare().
#pragma once

#include "kernels/kernel_table.h"

namespace halftone {

std::unique_ptr<KernelState> PrepareGatherElements(const KernelQuery& query);
void RunGatherElements(const KernelArgs& args) noexcept;           // by runs of indices
void RunGatherElementsReference(const KernelArgs& args) noexcept;  // index by index

std::unique_ptr<KernelState> PrepareGatherNd(const KernelQuery& query);
void RunGatherNd(const KernelArgs& args) noexcept;

}  // namespace halftone
