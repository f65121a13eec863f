// Components of more than one kernel family; those of one family stand in its table, those of tiles
// in the rows of tiles (kernels/tile/tile_kernel.h, kernels/quantized/byte_tiles.h).
#pragma once

#include "kernels/component.h"

namespace halftone {

// kernels/vector_math-inl.h: the exponential and functions computed from it.
inline constexpr Component kVectorMath{"vector_math", 2, "a shorter exponential"};
// kernels/tile/epilogue.h: activation, residual and rounding behind a product.
inline constexpr Component kEpilogue{.name = "epilogue"};
// kernels/tile/pack_panels.h, pack_columns.h, panel_block.h: operands in the order of a tile.
inline constexpr Component kPanels{"panels", 2, "asks for weights ahead"};
// kernels/onednn: calls of oneDNN.
inline constexpr Component kOneDnn{.name = "onednn"};
// kernels/streamed_store.h
inline constexpr Component kStreamedStores{"streamed_stores", 2,
                                           "large float32 results alone go past the caches"};
// kernels/copy: runs of bytes.
inline constexpr Component kCopyRuns{"copy_runs", 2, "short runs by moves of their size"};
// kernels/strided/indexed_copy.h
inline constexpr Component kIndexedCopy{"indexed_copy", 2, "repeated rows in blocks"};
// kernels/cast: rows of 16-bit numbers to float32 and back.
inline constexpr Component kHalfLoops{.name = "half_loops"};

}  // namespace halftone
