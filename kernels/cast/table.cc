#include "kernels/cast/cast.h"

namespace halftone {

std::span<const KernelEntry> CastKernels() { return {}; }

}  // namespace halftone
