#include "kernels/normalization/normalization.h"

namespace halftone {

std::span<const KernelEntry> NormalizationKernels() { return {}; }

}  // namespace halftone
