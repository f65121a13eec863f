// Table of the register tiles for products of quantised data, best first. Each kernel family makes
// one row of its own table from each. A new instruction needs one file and one row here.
#pragma once

#include <array>

#include "kernels/quantized/amx_bytes_emulated.h"
#include "kernels/quantized/byte_tile.h"

namespace halftone {

inline constexpr std::array kByteTiles = {
    ByteTileKernel{.name = "amx_int8",
                   .isa = kIsaAmxInt8,
                   .rows = kAmxRows,
                   .columns = kAmxColumns,
                   .run = ByteTileAmx,
                   .component = {.name = "byte_tile.amx_int8"},
                   .products_of_float = 16,
                   .block_steps = kAmxBlockSteps,
                   .step_group = kAmxSteps},
    ByteTileKernel{.name = "avx512_vnni",
                   .isa = kIsaAvx512 | kIsaAvx512Vnni,
                   .rows = kByteTileRows,
                   .columns = kByteTileColumns,
                   .run = ByteTileVnni,
                   .component = {"byte_tile.avx512_vnni", 2, "stores bytes"},
                   .products_of_float = 4,
                   .finishes = 16},
    ByteTileKernel{.name = "highway",
                   .isa = kIsaAny,
                   .rows = kByteTileRows,
                   .columns = kByteTileColumns,
                   .run = ByteTileHighway,
                   .component = {"byte_tile.highway", 2, "12 rows at once"}},
    ByteTileKernel{.name = "amx_emulated",
                   .isa = kIsaAny,
                   .rows = kAmxRows,
                   .columns = kAmxColumns,
                   .run = AmxBytesEmulated::Run,
                   .component = {"byte_tile.amx_emulated", 2, "32 x 32"},
                   .block_steps = kAmxBlockSteps,
                   .step_group = kAmxSteps,
                   .emulates = true},
};

}  // namespace halftone
