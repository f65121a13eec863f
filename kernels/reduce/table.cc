#include "kernels/reduce/reduce.h"

namespace halftone {

std::span<const KernelEntry> ReduceKernels() { return {}; }

}  // namespace halftone
