#include "kernels/fill/fill.h"

namespace halftone {

std::span<const KernelEntry> FillKernels() { return {}; }

}  // namespace halftone
