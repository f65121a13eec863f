#include "kernels/pool/pool.h"
#include "kernels/pool/reference.h"

namespace halftone {
namespace {

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64),
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = nullptr,
          .prepare = PreparePoolReference,
          .scratch_bytes = nullptr,
          .run = RunPoolReference,
          .is_reference = true};
}

constexpr KernelEntry kTable[] = {
    Reference("max_pool.reference", OpKind::kMaxPool),
    Reference("average_pool.reference", OpKind::kAveragePool),
    Reference("global_max_pool.reference", OpKind::kGlobalMaxPool),
    Reference("global_average_pool.reference", OpKind::kGlobalAveragePool),
};

}  // namespace

std::span<const KernelEntry> PoolKernels() {
  return kTable;
}

}  // namespace halftone
