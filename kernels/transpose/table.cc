#include "kernels/transpose/transpose.h"

namespace halftone {

std::span<const KernelEntry> TransposeKernels() { return {}; }

}  // namespace halftone
