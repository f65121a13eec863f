#include "kernels/pool/pool.h"

namespace halftone {

std::span<const KernelEntry> PoolKernels() { return {}; }

}  // namespace halftone
