// Table of the register tiles. The families of matrix operators make their kernels from its rows
// (tile_rows.h). A new instruction needs one file and one row here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/component.h"
#include "kernels/cpu_isa.h"
#include "kernels/tile/amx_emulated.h"
#include "kernels/tile/amx_shape.h"
#include "kernels/tile/float16_sums.h"
#include "kernels/tile/float_parts.h"
#include "kernels/tile/fp16_emulated.h"
#include "kernels/tile/parts_emulated.h"
#include "kernels/tile/tile.h"
#include "kernels/tile/tile_amx.h"
#include "kernels/tile/tile_amx_parts.h"
#include "kernels/tile/tile_fp16.h"
#include "kernels/tile/tile_highway.h"
#include "kernels/tile/tile_pairs.h"
#include "src/ir/dtype.h"

namespace halftone {

// Storage of a panel of B; it also determines the words of A.
enum class TileStorage : std::uint8_t {
  kFloat32,        // words of A are floats
  kFloat16,        // binary16, words of A are floats
  kBFloat16,       // words of A are floats
  kBFloat16Pairs,  // pairs of bfloat16 that are neighbours along k, also in A
  kFloat32Parts,   // floats in bfloat16 parts, one chunk a step, also in A (float_parts.h)
  kFloat16Pairs,   // pairs of binary16 that are neighbours along k, also in A
};

struct TileKernel {
  std::string_view name;  // in names of kernels: "gemm.bf16.avx512_bf16"
  IsaMask isa;
  TileStorage storage;
  int rows;
  int columns;
  TileFunction run;
  Component component;
  // True if the function takes any TileArgs::c_stride when the call has all columns.
  bool strided = false;
  // True if the function converts TileArgs::next on this CPU; null: it never does.
  bool (*converts_ahead)() = nullptr;
  // True: the function widens 16-bit elements anew for every row tile, which keeps panels half as
  // large. False: panels are widened once for all row tiles (panel_block.h). Each way is faster on
  // some CPU. On Zen 5, widening costs nothing between multiply-adds (0.86 to 1.02 of the time of
  // panels widened before, `gemm/` of halftone_bench, medians of 5 pairs); on Zen 4 it costs an
  // eighth of the time.
  bool widens_each_time = false;
  std::int64_t block_steps = kBlockSteps;  // largest number of steps in a block of k
  // Number of steps that the function multiplies at once. Every block but the last has a multiple
  // of this many steps.
  std::int64_t step_group = 1;
  // Number of bfloat16 parts of each float, for storage kFloat32Parts.
  int parts = 1;
  // True if the function emulates an instruction in plain C++. Kernels made of it run only when
  // forced by name.
  bool emulates = false;

  // Sums in float16 before the sums in float32; `chain` 0: none.
  Float16Sums float16_sums = {};

  [[nodiscard]] constexpr bool pairs() const {
    return storage == TileStorage::kBFloat16Pairs || storage == TileStorage::kFloat16Pairs;
  }

  // Dtype of the elements of pairs.
  [[nodiscard]] constexpr DType pair_dtype() const {
    return storage == TileStorage::kFloat16Pairs ? DType::kFloat16 : DType::kBFloat16;
  }

  // True if 16-bit elements are multiplied as floats.
  [[nodiscard]] constexpr bool widens() const {
    return storage == TileStorage::kFloat16 || storage == TileStorage::kBFloat16;
  }

  [[nodiscard]] constexpr bool in_parts() const { return storage == TileStorage::kFloat32Parts; }

  // Number of products that the tile sums for each product of two elements.
  [[nodiscard]] constexpr int part_products() const {
    return in_parts() ? static_cast<int>(PartProducts(parts).size()) : 1;
  }

  // Elements of a row of A that one step takes.
  [[nodiscard]] constexpr std::int64_t step_elements() const {
    return in_parts() ? kPartChunk : pairs() ? 2 : 1;
  }

  // Words of a row of A that one step takes.
  [[nodiscard]] constexpr std::int64_t step_words() const {
    return in_parts() ? parts * kPartChunk / 2 : 1;
  }

  // Bytes of one step of a panel of B.
  [[nodiscard]] constexpr std::int64_t step_bytes() const {
    return step_words() * columns * (widens() ? 2 : 4);
  }

  [[nodiscard]] constexpr int elements() const { return rows * columns; }

  // Bytes of a copy of the tile's rows of A for one block of k.
  [[nodiscard]] constexpr std::int64_t a_bytes() const {
    return rows * (block_steps * step_words() + 16) * 4;
  }

  [[nodiscard]] constexpr StepBlocks Blocks(std::int64_t steps) const {
    return {.steps = steps, .most = block_steps, .group = step_group};
  }

  [[nodiscard]] constexpr std::int64_t row_tiles(std::int64_t n) const {
    return (n + rows - 1) / rows;
  }

  [[nodiscard]] constexpr std::int64_t panels(std::int64_t n) const {
    return (n + columns - 1) / columns;
  }

  [[nodiscard]] constexpr int RowsAt(std::int64_t tile, std::int64_t n) const {
    const std::int64_t left = n - tile * rows;
    return static_cast<int>(left < rows ? left : rows);
  }

  [[nodiscard]] constexpr int ColumnsAt(std::int64_t panel, std::int64_t n) const {
    const std::int64_t left = n - panel * columns;
    return static_cast<int>(left < columns ? left : columns);
  }
};

// Table of the tiles. The best of the tiles that multiply a dtype in the same way stands first.
inline constexpr std::array kTileKernels = {
    TileKernel{.name = "highway",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat32,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TileFloat,
               .component = {"tile.float32", 2, "reads panels that lie apart"},
               .strided = true,
               .converts_ahead = HighwayConvertsAhead},
    TileKernel{.name = "highway",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat16,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TileFloat16,
               .component = {"tile.float16", 2, "reads panels that lie apart"},
               .converts_ahead = HighwayConvertsAhead},
    TileKernel{.name = "highway_half_panels",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat16,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TileFloat16,
               .component = {.name = "tile.float16.half_panels"},  // raised with tile.float16
               .converts_ahead = HighwayConvertsAhead,
               .widens_each_time = true},
    TileKernel{.name = "avx512_fp16",
               .isa = kIsaAvx512 | kIsaAvx512Fp16,
               .storage = TileStorage::kFloat16Pairs,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TileFloat16Pairs,
               .component = {.name = "tile.avx512_fp16"},
               .float16_sums = kFastFloat16Sums},
    TileKernel{.name = "amx_bf16",
               .isa = kIsaAmxBf16,
               .storage = TileStorage::kBFloat16Pairs,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = TileAmxBf16,
               .component = {.name = "tile.amx_bf16"},
               .block_steps = kAmxBlockSteps,
               .step_group = kAmxSteps},
    TileKernel{.name = "avx512_bf16",
               .isa = kIsaAvx512 | kIsaAvx512Bf16,
               .storage = TileStorage::kBFloat16Pairs,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TilePairs,
               .component = {.name = "tile.avx512_bf16"}},
    TileKernel{.name = "highway",
               .isa = kIsaAny,
               .storage = TileStorage::kBFloat16,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = TileBFloat16,
               .component = {"tile.bfloat16", 2, "reads panels that lie apart"},
               .converts_ahead = HighwayConvertsAhead},
    TileKernel{.name = "amx_emulated",
               .isa = kIsaAny,
               .storage = TileStorage::kBFloat16Pairs,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = AmxEmulated::Run,
               .component = {"tile.amx_emulated", 2, "32 x 32, flushes after rounding"},
               .block_steps = kAmxBlockSteps,
               .step_group = kAmxSteps,
               .emulates = true},
    TileKernel{.name = "amx_parts3",
               .isa = kIsaAmxBf16,
               .storage = TileStorage::kFloat32Parts,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = TileAmxThreeParts,
               .component = {.name = "tile.amx_parts3"},
               .block_steps = kPartBlockSteps,
               .parts = 3},
    TileKernel{.name = "amx_parts2",
               .isa = kIsaAmxBf16,
               .storage = TileStorage::kFloat32Parts,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = TileAmxTwoParts,
               .component = {.name = "tile.amx_parts2"},
               .block_steps = kPartBlockSteps,
               .parts = 2},
    TileKernel{.name = "amx_parts3_emulated",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat32Parts,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = PartsEmulated<3>::Run,
               .component = {.name = "tile.amx_parts3_emulated"},
               .block_steps = kPartBlockSteps,
               .parts = 3,
               .emulates = true},
    TileKernel{.name = "amx_parts2_emulated",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat32Parts,
               .rows = kAmxRows,
               .columns = kAmxColumns,
               .run = PartsEmulated<2>::Run,
               .component = {.name = "tile.amx_parts2_emulated"},
               .block_steps = kPartBlockSteps,
               .parts = 2,
               .emulates = true},
    TileKernel{.name = "fp16_emulated",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat16Pairs,
               .rows = kTileRows,
               .columns = kTileColumns,
               .run = Float16Emulated::Run,
               .component = {.name = "tile.fp16_emulated"},
               .emulates = true,
               .float16_sums = kFastFloat16Sums},
};

// The first row with this name; does not compile if there is none.
consteval const TileKernel& TileNamed(std::string_view name) {
  std::size_t i = 0;
  while (kTileKernels[i].name != name) {
    ++i;
  }
  return kTileKernels[i];
}

inline constexpr int kMostTileColumns = [] {
  int most = 0;
  for (const TileKernel& tile : kTileKernels) {
    most = tile.columns > most ? tile.columns : most;
  }
  return most;
}();

// Index of the float32 tile of the same shape, which multiplies panels whose 16-bit elements were
// widened. kTileKernels.size() if `tile` widens nothing.
constexpr std::size_t WidenedTileIndex(const TileKernel& tile) {
  std::size_t i = tile.widens() ? 0 : kTileKernels.size();
  while (i < kTileKernels.size() &&
         !(kTileKernels[i].storage == TileStorage::kFloat32 && kTileKernels[i].rows == tile.rows &&
           kTileKernels[i].columns == tile.columns)) {
    ++i;
  }
  return i;
}

// The tile at WidenedTileIndex(); null if `tile` widens nothing.
constexpr const TileKernel* WidenedTile(const TileKernel& tile) {
  const std::size_t i = WidenedTileIndex(tile);
  return i < kTileKernels.size() ? &kTileKernels[i] : nullptr;
}

static_assert([] {
  for (const TileKernel& tile : kTileKernels) {
    if (tile.widens() && WidenedTileIndex(tile) == kTileKernels.size()) {
      return false;
    }
  }
  return true;
}());

constexpr DType WidenedDType(const TileKernel& tile) {
  return tile.storage == TileStorage::kFloat16 ? DType::kFloat16 : DType::kBFloat16;
}

// Name of the layout of packed panels of B, a part of the key under which packed weights are
// shared. Tiles with the same name read the same bytes.
std::string PanelForm(const TileKernel& tile);

// The same for weights that are packed as row tiles of A.
std::string RowTileForm(const TileKernel& tile);

}  // namespace halftone
