#include "kernels/strided/strided.h"

namespace halftone {

std::span<const KernelEntry> StridedKernels() { return {}; }

}  // namespace halftone
