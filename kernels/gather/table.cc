#include "kernels/gather/gather.h"

namespace halftone {

std::span<const KernelEntry> GatherKernels() { return {}; }

}  // namespace halftone
