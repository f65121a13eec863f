#include "kernels/transpose/permutation.h"

#include <algorithm>
#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/copy/copy_runs.h"
#include "kernels/parallel.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/transpose/interleave.h"
#include "kernels/transpose/tile.h"

namespace halftone {
namespace {

constexpr std::int64_t kCacheLine = 64;
// Elements of a strip that is interleaved or separated: enough for whole vectors, few enough that 4
// rows stay in the L1.
constexpr std::int64_t kLongStrip = 1024;

// Strides in bytes of each source axis.
std::vector<std::int64_t> SourceStrides(const PermutationSpec& spec) {
  std::vector<std::int64_t> strides(spec.source.size(), spec.element_bytes);
  for (std::size_t axis = spec.source.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * spec.source[axis];
  }
  return strides;
}

// One strip of a matrix transposition: `columns` source elements that lie together (at most a cache
// line of them) by `rows` of the source; unit is T. target[c, r] = source[r, c].
struct Strip {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t source_stride = 0;  // elements between source rows
  std::int64_t target_stride = 0;  // elements between target rows
};

template <typename T>
void TransposeStrip(const Strip& strip, const T* source, T* target) noexcept {
  constexpr std::int64_t kTile = 16 / sizeof(T);
  const std::int64_t tiled_rows = strip.rows / kTile * kTile;
  const std::int64_t tiled_columns = strip.columns / kTile * kTile;
  // A line of each target row is written as a whole before the next rows' turn: rows a multiple of
  // a page apart fall into one set of the cache, which has 8 ways. Where source rows do, few of
  // them at a time.
  constexpr std::int64_t kPage = 4096;
  const auto crowds = [](std::int64_t stride) { return stride * sizeof(T) % kPage == 0; };
  const bool few = crowds(strip.source_stride) && !crowds(strip.target_stride);
  const std::int64_t block = few ? kTile : kCacheLine / sizeof(T);
  for (std::int64_t first = 0; first < tiled_rows; first += block) {
    const std::int64_t last = std::min(first + block, tiled_rows);
    for (std::int64_t c = 0; c < tiled_columns; c += kTile) {
      for (std::int64_t r = first; r < last; r += kTile) {
        TransposeTile(source + r * strip.source_stride + c, strip.source_stride,
                      target + c * strip.target_stride + r, strip.target_stride);
      }
    }
  }
  const auto transpose = [&](std::int64_t first_row, std::int64_t first_column,
                             std::int64_t last_column) {
    for (std::int64_t c = first_column; c < last_column; ++c) {
      for (std::int64_t r = first_row; r < strip.rows; ++r) {
        target[c * strip.target_stride + r] = source[r * strip.source_stride + c];
      }
    }
  };
  transpose(tiled_rows, 0, tiled_columns);
  transpose(0, tiled_columns, strip.columns);
}

void TransposeStripOf(std::int64_t unit_bytes, Strip strip, const std::byte* source,
                      std::byte* target) noexcept {
  strip.source_stride /= unit_bytes;
  strip.target_stride /= unit_bytes;
  const auto run = [&](auto unit) {
    using T = decltype(unit);
    TransposeStrip(strip, reinterpret_cast<const T*>(source), reinterpret_cast<T*>(target));
  };
  switch (unit_bytes) {
    case 1:
      return run(std::uint8_t{});
    case 2:
      return run(std::uint16_t{});
    case 4:
      return run(std::uint32_t{});
    default:
      return run(std::uint64_t{});
  }
}

// Positions of the outer axes one after the other, without a division but for the first.
template <typename Axis>
class OuterWalk {
 public:
  OuterWalk(const std::vector<Axis>& axes, std::int64_t item) : axes_(axes) {
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      at_[axis] = item % axes[axis].extent;
      item /= axes[axis].extent;
      source_ += at_[axis] * axes[axis].source_stride;
      target_ += at_[axis] * axes[axis].target_stride;
    }
  }

  void Next() {
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
      const Axis& a = axes_[axis];
      source_ += a.source_stride;
      target_ += a.target_stride;
      if (++at_[axis] < a.extent) {
        return;
      }
      source_ -= a.extent * a.source_stride;
      target_ -= a.extent * a.target_stride;
      at_[axis] = 0;
    }
  }

  // Places in source and target, in bytes.
  [[nodiscard]] std::int64_t source() const { return source_; }

  [[nodiscard]] std::int64_t target() const { return target_; }

 private:
  const std::vector<Axis>& axes_;
  std::array<std::int64_t, kMaxRank> at_{};
  std::int64_t source_ = 0;
  std::int64_t target_ = 0;
};

}  // namespace

Permutation::Permutation(const PermutationSpec& spec) : unit_bytes_(spec.element_bytes) {
  const std::vector<std::int64_t> source_strides = SourceStrides(spec);
  std::vector<Axis> axes;  // of the output, merged
  for (const int source_axis : spec.order) {
    const auto index = static_cast<std::size_t>(source_axis);
    const std::int64_t extent = spec.source[index];
    if (extent == 1) {
      continue;
    }
    if (!axes.empty() && axes.back().source_stride == source_strides[index] * extent) {
      axes.back().extent *= extent;
      axes.back().source_stride = source_strides[index];
    } else {
      axes.push_back({extent, source_strides[index], 0});
    }
  }
  if (!axes.empty() && axes.back().source_stride == unit_bytes_) {
    unit_bytes_ *= axes.back().extent;
    axes.pop_back();
  }
  std::int64_t stride = unit_bytes_;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    axes[axis].target_stride = stride;
    stride *= axes[axis].extent;
  }
  if (!axes.empty()) {
    row_ = axes.back();
    axes.pop_back();
  }
  const auto contiguous = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) {
    return axis.source_stride == unit_bytes_;
  });
  tiles_ = contiguous != axes.end() && (unit_bytes_ & (unit_bytes_ - 1)) == 0 && unit_bytes_ <= 8;
  if (tiles_) {
    column_ = *contiguous;
    axes.erase(contiguous);
  }
  outer_ = std::move(axes);
}

void Permutation::Run(const void* source, void* target) const noexcept {
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(target);
  tiles_ ? TransposeTiles(from, to) : CopyBlocks(from, to);
}

void Permutation::CopyBlocks(const std::byte* source, std::byte* target) const noexcept {
  std::int64_t rows = 1;
  for (const Axis& axis : outer_) {
    rows *= axis.extent;
  }
  if (rows == 1 && row_.extent == 1) {
    return CopyBytes(target, source, unit_bytes_);
  }
  const std::int64_t row_bytes = row_.extent * unit_bytes_;
  ParallelFor(rows, GrainOf(row_bytes * 2), [&](std::int64_t begin, std::int64_t end) {
    OuterWalk walk(outer_, begin);
    for (std::int64_t row = begin; row < end; ++row, walk.Next()) {
      CopyRuns({.source = source + walk.source(),
                .target = target + walk.target(),
                .source_stride = row_.source_stride,
                .target_stride = unit_bytes_,
                .bytes = unit_bytes_,
                .count = row_.extent});
    }
  });
}

Permutation::Form Permutation::FormOfTiles() const {
  if (HasInterleaveRows(row_.extent, unit_bytes_) &&
      column_.target_stride == row_.extent * unit_bytes_) {
    return Form::kInterleave;
  }
  return HasInterleaveRows(column_.extent, unit_bytes_) &&
                 row_.source_stride == column_.extent * unit_bytes_
             ? Form::kSeparate
             : Form::kTiles;
}

void Permutation::TransposeTiles(const std::byte* source, std::byte* target) const noexcept {
  std::int64_t matrices = 1;
  for (const Axis& axis : outer_) {
    matrices *= axis.extent;
  }
  const Form form = FormOfTiles();
  const Axis& along = form == Form::kSeparate ? row_ : column_;  // which strips cut
  const std::int64_t across = form == Form::kSeparate ? column_.extent : row_.extent;
  const std::int64_t strip_length = form == Form::kTiles ? kCacheLine / unit_bytes_ : kLongStrip;
  const std::int64_t strips = (along.extent + strip_length - 1) / strip_length;
  // A quarter of the grain of a plain copy for strided writes.
  const std::int64_t strip_bytes = across * unit_bytes_ * std::min(strip_length, along.extent);
  const std::int64_t grain = GrainOf(strip_bytes * (form == Form::kTiles ? 4 : 2));
  ParallelFor(matrices * strips, grain, [&](std::int64_t begin, std::int64_t end) {
    OuterWalk walk(outer_, begin / strips);
    std::int64_t strip = begin % strips;
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t first = strip * strip_length;
      RunStrip(form, std::min(strip_length, along.extent - first),
               source + walk.source() + first * along.source_stride,
               target + walk.target() + first * along.target_stride);
      if (++strip == strips) {
        strip = 0;
        walk.Next();
      }
    }
  });
}

void Permutation::RunStrip(Form form, std::int64_t length, const std::byte* source,
                           std::byte* target) const noexcept {
  switch (form) {
    case Form::kInterleave:
      return InterleaveRows(unit_bytes_, row_.extent, length, source,
                            row_.source_stride / unit_bytes_, target);
    case Form::kSeparate:
      return SeparateRows(unit_bytes_, column_.extent, length, source, target,
                          column_.target_stride / unit_bytes_);
    case Form::kTiles:
      return TransposeStripOf(unit_bytes_,
                              {.rows = row_.extent,
                               .columns = length,
                               .source_stride = row_.source_stride,
                               .target_stride = column_.target_stride},
                              source, target);
  }
}

void PermuteByElement(const PermutationSpec& spec, const void* source, void* target) noexcept {
  std::array<std::int64_t, kMaxRank> stride{};  // of the source, in elements
  std::int64_t count = 1;
  for (std::size_t axis = spec.source.size(); axis-- > 0;) {
    stride[axis] = count;
    count *= spec.source[axis];
  }
  std::array<std::int64_t, kMaxRank> at{};  // per output axis
  for (std::int64_t o = 0; o < count; ++o) {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < spec.order.size(); ++axis) {
      index += at[axis] * stride[static_cast<std::size_t>(spec.order[axis])];
    }
    std::memcpy(static_cast<std::byte*>(target) + o * spec.element_bytes,
                static_cast<const std::byte*>(source) + index * spec.element_bytes,
                static_cast<std::size_t>(spec.element_bytes));
    for (std::size_t axis = spec.order.size(); axis-- > 0;) {
      if (++at[axis] < spec.source[static_cast<std::size_t>(spec.order[axis])]) {
        break;
      }
      at[axis] = 0;
    }
  }
}

}  // namespace halftone
