// Permutation of axes as one copy: the loop nest of Transpose, DepthToSpace and SpaceToDepth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halftone {

// Output axis a is source axis order[a].
struct PermutationSpec {
  std::vector<std::int64_t> source;  // extents
  std::vector<int> order;
  std::int64_t element_bytes = 0;
};

// A permutation that is compiled once: axes of extent 1 are dropped, and neighbouring axes that
// stay together are merged. Run() then either copies whole blocks or transposes matrices in tiles.
class Permutation {
 public:
  explicit Permutation(const PermutationSpec& spec);

  void Run(const void* source, void* target) const noexcept;

 private:
  struct Axis {
    std::int64_t extent = 1;
    std::int64_t source_stride = 0;  // bytes
    std::int64_t target_stride = 0;  // bytes
  };

  void CopyBlocks(const std::byte* source, std::byte* target) const noexcept;
  void TransposeTiles(const std::byte* source, std::byte* target) const noexcept;

  // Shape of the transposed matrix: few rows in the target, in the source, or neither.
  enum class Form : std::uint8_t { kInterleave, kSeparate, kTiles };

  [[nodiscard]] Form FormOfTiles() const;
  // Copies a strip of columns, or of rows for kSeparate.
  void RunStrip(Form form, std::int64_t length, const std::byte* source,
                std::byte* target) const noexcept;

  std::int64_t unit_bytes_ = 0;  // bytes moved at a time: an element, or a merged block
  std::vector<Axis> outer_;      // all other axes, in the order of the output
  Axis row_;                     // last axis of the output
  // The axis along which the source is contiguous; extent 1 if blocks are copied.
  Axis column_;
  bool tiles_ = false;  // matrices are transposed in tiles; else blocks are copied
};

// Reference: permutes element by element.
void PermuteByElement(const PermutationSpec& spec, const void* source, void* target) noexcept;

}  // namespace halftone
