#include "kernels/pool/channels_last.h"
#include "kernels/pool/global.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/reference.h"
#include "kernels/pool/windowed.h"
#include "kernels/table_rows.h"

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

constexpr std::string_view kKeys = "maxima of 16-bit types as whole numbers";
constexpr Component kChannels{"pool.channels", 2, kKeys};
constexpr Component kWindows{"pool.windows", 4, kKeys};
constexpr Component kPlanes{"pool.planes", 3, kKeys};

constexpr KernelEntry Windowed(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kTunableDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = WindowedPoolRefusal,
          .prepare = PrepareWindowedPool,
          .scratch_bytes = WindowedPoolScratchBytes,
          .run = RunWindowedPool,
          .components = {&kWindows}};
}

constexpr KernelEntry Global(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kTunableDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = GlobalPoolRefusal,
          .prepare = PrepareGlobalPool,
          .scratch_bytes = nullptr,
          .run = RunGlobalPool,
          .components = {&kPlanes}};
}

constexpr KernelEntry ChannelsLast(std::string_view name, OpKind op, DTypeSet dtypes) {
  return {.name = name,
          .op = op,
          .dtypes = dtypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = ChannelsLastPoolRefusal,
          .prepare = PrepareChannelsLastPool,
          .scratch_bytes = nullptr,
          .run = RunChannelsLastPool,
          .components = {&kChannels}};
}

constexpr Component kPool{.name = "pool"};

constexpr DTypeSet kMaxima = kTunableDTypes | kByteDTypes;

constexpr KernelEntry kRows[] = {
    ChannelsLast("max_pool.highway.channels_last", OpKind::kMaxPool, kMaxima),
    ChannelsLast("average_pool.highway.channels_last", OpKind::kAveragePool, kTunableDTypes),
    ChannelsLast("global_max_pool.highway.channels_last", OpKind::kGlobalMaxPool, kMaxima),
    ChannelsLast("global_average_pool.highway.channels_last", OpKind::kGlobalAveragePool,
                 kTunableDTypes),
    Windowed("max_pool.highway", OpKind::kMaxPool),
    Windowed("average_pool.highway", OpKind::kAveragePool),
    Global("global_max_pool.highway", OpKind::kGlobalMaxPool),
    Global("global_average_pool.highway", OpKind::kGlobalAveragePool),
    Reference("max_pool.reference", OpKind::kMaxPool),
    Reference("average_pool.reference", OpKind::kAveragePool),
    Reference("lp_pool.reference", OpKind::kLpPool),
    Reference("global_max_pool.reference", OpKind::kGlobalMaxPool),
    Reference("global_average_pool.reference", OpKind::kGlobalAveragePool),
};

constexpr auto kTable = MadeOf({&kPool}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> PoolKernels() {
  return kTable;
}

}  // namespace halftone
