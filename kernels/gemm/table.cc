#include "kernels/gemm/gemm.h"

namespace halftone {

std::span<const KernelEntry> GemmKernels() { return {}; }

}  // namespace halftone
