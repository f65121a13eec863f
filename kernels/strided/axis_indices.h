// Index tables of Slice, Pad, Expand, Tile and CenterCropPad (and nearest-neighbour Resize): along
// every axis, each output index reads one source index or none.
//
//   output[i0, i1, ...] = source[axes[0][i0], axes[1][i1], ...]
//
// If one of these source indices is kFill, the output element is the fill value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/ir/tensor.h"

namespace halftone {

inline constexpr std::int64_t kFill = -1;

// Largest number of axes: kernels iterate with fixed-size counters, so that they allocate nothing.
inline constexpr int kMaxRank = 16;

struct AxisIndices {
  Shape source;                                 // of the rank of the output
  std::vector<std::vector<std::int64_t>> axes;  // for each output axis and output index
};

// Indices 0 to count - 1.
std::vector<std::int64_t> IdentityIndices(std::int64_t count);

// Index tables from attributes, shapes and constant inputs. Error kModel if these contradict each
// other, kUnsupported for more than kMaxRank axes.
AxisIndices SliceIndices(const KernelQuery& query);
AxisIndices PadIndices(const KernelQuery& query);
AxisIndices ExpandIndices(const KernelQuery& query);
AxisIndices TileIndices(const KernelQuery& query);
AxisIndices CenterCropPadIndices(const KernelQuery& query);

// The fill value of one element, in the bytes of its dtype.
struct alignas(8) FillElement : std::array<std::byte, 8> {};

// The copy that `indices` describe, compiled for speed. Trailing axes that are copied whole become
// one block; the next axis becomes runs of equally spaced blocks (a row); the outer axes become
// byte offsets of rows.
class IndexedCopy {
 public:
  IndexedCopy(const AxisIndices& indices, std::size_t element_bytes);

  void Run(const void* source, void* target, const FillElement& fill) const noexcept;

 private:
  struct Segment {
    enum class Kind : std::uint8_t {
      kFilled,
      kContiguous,
      kSpaced,
      kRepeated,
      kTable
    } kind = Kind::kContiguous;
    std::int64_t count = 0;  // blocks
    // Bytes from the begin of the row; kTable: the first entry in table_.
    std::int64_t source = 0;
    // Bytes between source blocks; kRepeated: number of copies of each block.
    std::int64_t step = 0;
  };

  void CompileOuter(const AxisIndices& indices, int axes);
  void CompileRow(const std::vector<std::int64_t>& indices);
  bool CompileRepeats(const std::vector<std::int64_t>& indices);
  void RunRows(const std::byte* source, std::byte* target, std::int64_t begin, std::int64_t end,
               const FillElement& fill) const noexcept;
  // Rows [first, first + count) of the innermost outer axis.
  void RunSpan(const std::byte* source, std::byte* target, std::int64_t first, std::int64_t count,
               const FillElement& fill) const noexcept;
  void RunSpanOnce(const std::byte* source, std::byte* target, std::int64_t first,
                   std::int64_t count, const FillElement& fill) const noexcept;
  void RunRow(const std::byte* source, std::byte* target, const FillElement& fill) const noexcept;
  void FillBytes(std::byte* target, std::int64_t bytes, const FillElement& fill) const noexcept;
  void CopySteps(const Segment& segment, const std::byte* source, std::byte* target) const noexcept;
  void CopyRepeated(const Segment& segment, const std::byte* source,
                    std::byte* target) const noexcept;
  void CopyTable(const Segment& segment, const std::byte* source, std::byte* target,
                 const FillElement& fill) const noexcept;

  std::int64_t element_bytes_ = 0;
  std::int64_t block_bytes_ = 0;
  std::int64_t row_bytes_ = 0;
  std::int64_t rows_ = 1;
  // Byte offsets in the source, or kFill, for each outer axis; there is at least one.
  std::vector<std::vector<std::int64_t>> outer_;
  std::int64_t period_ = 1;  // rows of the innermost outer axis until they repeat
  // Bytes between the sources of neighbouring rows. Empty unless each row is one run and this
  // distance is constant.
  std::optional<std::int64_t> row_step_;
  std::vector<Segment> row_;
  std::vector<std::int64_t> table_;  // byte offsets or kFill
};

// Reference: copies element by element.
void CopyByIndices(const AxisIndices& indices, std::size_t element_bytes, const void* source,
                   void* target, const FillElement& fill) noexcept;

}  // namespace halftone
