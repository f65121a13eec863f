#include "kernels/binary/binary.h"

namespace halftone {

std::span<const KernelEntry> BinaryKernels() { return {}; }

}  // namespace halftone
