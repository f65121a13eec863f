#include "kernels/conv/conv.h"

namespace halftone {

std::span<const KernelEntry> ConvKernels() { return {}; }

}  // namespace halftone
