// Kernel table rows of the families of matrix operators, made from the list of tiles
// (tile_kernel.h): one row for each tile, each dtype that it multiplies and each implementation
// mode.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "kernels/tile/tile_kernel.h"

namespace halftone {

// A dtype that tiles of a storage multiply, and the implementation mode of the kernel.
//
// Float16 is multiplied exactly in float32 in high_precision. In high_performance it is rounded to
// bfloat16 pairs, or summed in float16 for some steps. Float32 in three bfloat16 parts
// (high_precision) is as precise as a sum in float32. In two parts (high_performance) each product
// has an error of at most 2^-14, less than with HF32, whose operands have 11 bits.
struct StorageUse {
  TileStorage storage;
  DType dtype;
  ImplMode mode;
  int parts = 1;
};

inline constexpr StorageUse kStorageUses[] = {
    {TileStorage::kFloat32, DType::kFloat32, ImplMode::kDefault},
    {TileStorage::kFloat16, DType::kFloat16, ImplMode::kHighPrecision},
    {TileStorage::kFloat16Pairs, DType::kFloat16, ImplMode::kHighPerformance},
    {TileStorage::kBFloat16Pairs, DType::kFloat16, ImplMode::kHighPerformance},
    {TileStorage::kBFloat16Pairs, DType::kBFloat16, ImplMode::kDefault},
    {TileStorage::kBFloat16, DType::kBFloat16, ImplMode::kDefault},
};

// Uses of families that split floats into parts, in addition to kStorageUses.
inline constexpr StorageUse kPartStorageUses[] = {
    {TileStorage::kFloat32Parts, DType::kFloat32, ImplMode::kHighPrecision, 3},
    {TileStorage::kFloat32Parts, DType::kFloat32, ImplMode::kHighPerformance, 2},
    {TileStorage::kFloat32Parts, DType::kFloat32, ImplMode::kEnableHiFloat32Execution, 2},
};

// A tile, a dtype that it multiplies and a mode. They make one table row in each family.
struct TileUse {
  std::size_t tile = 0;  // index in kTileKernels
  DType dtype = DType::kFloat32;
  ImplMode mode = ImplMode::kDefault;

  [[nodiscard]] constexpr const TileKernel& kernel() const { return kTileKernels[tile]; }
};

// Calls visit(TileUse) for the uses of one tile with elements of one dtype.
template <std::size_t kRows, typename Visit>
constexpr void ForEachUseOf(const StorageUse (&rows)[kRows], std::size_t tile, DType dtype,
                            Visit& visit) {
  for (const StorageUse& use : rows) {
    if (use.dtype == dtype && use.storage == kTileKernels[tile].storage &&
        use.parts == kTileKernels[tile].parts) {
      visit(TileUse{tile, dtype, use.mode});
    }
  }
}

// Calls visit(TileUse) dtype after dtype; the tiles of a dtype follow in the order of kTileKernels.
template <std::size_t kRows, typename Visit>
constexpr void ForEachTileUse(const StorageUse (&rows)[kRows], Visit visit) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (std::size_t tile = 0; tile < kTileKernels.size(); ++tile) {
      ForEachUseOf(rows, tile, dtype, visit);
    }
  }
}

template <std::size_t kRows>
constexpr std::size_t CountOfTileUses(const StorageUse (&rows)[kRows]) {
  std::size_t count = 0;
  ForEachTileUse(rows, [&](const TileUse&) { ++count; });
  return count;
}

template <std::size_t kCount, std::size_t kRows>
constexpr std::array<TileUse, kCount> TileUsesOf(const StorageUse (&rows)[kRows]) {
  std::array<TileUse, kCount> uses{};
  std::size_t count = 0;
  ForEachTileUse(rows, [&](const TileUse& use) { uses[count++] = use; });
  return uses;
}

inline constexpr std::size_t kTileUseCount = CountOfTileUses(kStorageUses);
inline constexpr auto kTileUses = TileUsesOf<kTileUseCount>(kStorageUses);
inline constexpr std::size_t kPartUseCount = CountOfTileUses(kPartStorageUses);
inline constexpr auto kPartUses = TileUsesOf<kPartUseCount>(kPartStorageUses);

// Name of a kernel: "gemm.f32.highway", "gemm.f16.avx512_bf16.fast", "gemm.f32.amx_parts2.hf32";
// with a variant "conv.f32.highway.channels_last", "conv.f16.avx512_bf16.fast_channels_last".
constexpr KernelName TileKernelName(std::string_view family, const TileUse& use,
                                    std::string_view variant = "") {
  const std::string_view mode = use.mode == ImplMode::kHighPerformance            ? ".fast"
                                : use.mode == ImplMode::kEnableHiFloat32Execution ? ".hf32"
                                                                                  : "";
  KernelName name;
  name.Add(family).Add(".").Add(ShortNameOf(use.dtype)).Add(".").Add(use.kernel().name).Add(mode);
  if (!variant.empty()) {
    name.Add(mode.empty() ? "." : "_").Add(variant);
  }
  return name;
}

// Error terms of the products of a dtype on a tile.
constexpr ProductError ContractOf(const TileKernel& tile, DType dtype) {
  const bool bfloat16 = tile.storage == TileStorage::kBFloat16Pairs;
  return {.rounds_operands = bfloat16 && dtype == DType::kFloat16,
          .flushes_subnormals = bfloat16 || tile.in_parts(),
          .float16_roundings = tile.float16_sums.roundings(),
          .part_products = tile.part_products(),
          .left_out = tile.in_parts() ? LeftOutOfParts(tile.parts) : 0};
}

// Table row with everything that the tile determines. The family sets refusal, prepare,
// scratch_bytes and run.
constexpr KernelEntry TileRow(const KernelName& name, OpKind op, const TileUse& use) {
  return {.name = name.view(),
          .op = op,
          .dtypes = DTypeSet(use.dtype),
          .impl_mode = use.mode,
          .isa = use.kernel().isa,
          .refusal = nullptr,
          .prepare = nullptr,
          .scratch_bytes = nullptr,
          .run = nullptr,
          .emulates = use.kernel().emulates,
          .product = ContractOf(use.kernel(), use.dtype),
          .components = {&use.kernel().component, &kPanels}};
}

// Calls row<use>() for each index `use` of kTileUses and returns the table rows.
template <typename Row>
constexpr std::array<KernelEntry, kTileUseCount> TileRows(Row row) {
  return RowsOf<kTileUseCount>(row);
}

}  // namespace halftone
