// The register tiles under products of quantised data, best first: the families make a row of each.
#pragma once

#include <array>
#include <string_view>

#include "kernels/component.h"
#include "kernels/cpu_isa.h"
#include "kernels/quantized/byte_tile.h"

namespace halftone {

struct ByteTileKernel {
  std::string_view name;  // in names of kernels: "qlinear_matmul.s8.avx512_vnni"
  IsaMask isa;
  ByteTile run;
  Component component;
};

inline constexpr std::array kByteTiles = {
    ByteTileKernel{"avx512_vnni",
                   kIsaAvx512 | kIsaAvx512Vnni,
                   ByteTileVnni,
                   {.name = "byte_tile.avx512_vnni"}},
    ByteTileKernel{
        "highway", kIsaAny, ByteTileHighway, {"byte_tile.highway", 2, "12 rows at once"}},
};

}  // namespace halftone
