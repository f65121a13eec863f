#include "kernels/conv/conv.h"
#include "kernels/conv/reference.h"

namespace halftone {
namespace {

constexpr KernelEntry kTable[] = {
    {.name = "conv.reference",
     .op = OpKind::kConv,
     .dtypes = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64),
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = nullptr,
     .prepare = PrepareConvReference,
     .scratch_bytes = nullptr,
     .run = RunConvReference,
     .is_reference = true},
};

}  // namespace

std::span<const KernelEntry> ConvKernels() {
  return kTable;
}

}  // namespace halftone
