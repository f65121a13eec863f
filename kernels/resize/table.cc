#include "kernels/resize/resize.h"

namespace halftone {

std::span<const KernelEntry> ResizeKernels() { return {}; }

}  // namespace halftone
