#include "kernels/tile/tile_kernel.h"

#include <fmt/format.h>

namespace halftone {

std::string PanelForm(const TileKernel& tile) {
  return fmt::format("panels of {} columns in storage {}, {} parts", tile.columns,
                     static_cast<int>(tile.storage), tile.parts);
}

std::string RowTileForm(const TileKernel& tile) {
  return fmt::format("tiles of {} rows in storage {}, {} parts", tile.rows,
                     static_cast<int>(tile.storage), tile.parts);
}

}  // namespace halftone
