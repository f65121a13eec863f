// Components that several kernel families use. A component of one family is defined in the table of
// that family, and the component of a tile in the row of the tile (kernels/tile/tile_kernel.h,
// kernels/quantized/byte_tiles.h).
//
// The comment of a component lists the headers of its code. A family that includes such a header
// must name the component in its table (scripts/check_includes.py).
#pragma once

#include "kernels/component.h"

namespace halftone {

// The exponential and functions computed from it, which epilogues use too.
// kernels/vector_math-inl.h kernels/unary/unary_ops-inl.h kernels/tile/epilogue.h
inline constexpr Component kVectorMath{"vector_math", 2, "a shorter exponential"};
// Activation, residual and rounding behind a product.
// kernels/tile/epilogue.h
inline constexpr Component kEpilogue{.name = "epilogue"};
// Packing of operands in the order of a tile. Rows made by TileRow() name it.
// kernels/tile/pack_panels.h kernels/tile/pack_columns.h kernels/tile/panel_block.h
inline constexpr Component kPanels{"panels", 2, "asks for weights ahead"};
// Calls of oneDNN.
// kernels/onednn/conv.h kernels/onednn/matmul.h kernels/onednn/quantized_conv.h
// kernels/onednn/quantized_matmul.h
inline constexpr Component kOneDnn{.name = "onednn"};
// Stores of large results that bypass the caches.
// kernels/streamed_store.h
inline constexpr Component kStreamedStores{"streamed_stores", 2,
                                           "large float32 results alone go past the caches"};
// Copies of blocks of bytes by all threads.
// kernels/copy/copy_bytes.h
inline constexpr Component kCopyBytes{.name = "copy_bytes"};
// Copies of runs of bytes at regular distances.
// kernels/copy/copy_runs.h
inline constexpr Component kCopyRuns{"copy_runs", 2, "short runs by moves of their size"};
// Copies that take the indices of each axis from a list.
// kernels/strided/axis_indices.h
inline constexpr Component kIndexedCopy{"indexed_copy", 2, "repeated rows in blocks"};
// Taps and weights of Resize.
// kernels/resize/separable_taps.h
inline constexpr Component kResizeTaps{.name = "resize_taps"};
// Conversion of rows of 16-bit numbers to float32 and back.
// kernels/cast/half_loops.h
inline constexpr Component kHalfLoops{.name = "half_loops"};

}  // namespace halftone
