#include "kernels/concat/concat.h"

namespace halftone {

std::span<const KernelEntry> ConcatKernels() { return {}; }

}  // namespace halftone
