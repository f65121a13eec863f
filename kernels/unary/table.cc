#include "kernels/unary/unary.h"

namespace halftone {

std::span<const KernelEntry> UnaryKernels() { return {}; }

}  // namespace halftone
