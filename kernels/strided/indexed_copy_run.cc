#include <algorithm>
#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/copy/copy_runs.h"
#include "kernels/parallel.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/strided/every_second.h"

namespace halftone {
namespace {

// Calls body(std::integral_constant) for block sizes that a single move copies; 0 for all others.
template <typename Body>
void WithBlockSize(std::int64_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(std::integral_constant<std::int64_t, 1>());
    case 2:
      return body(std::integral_constant<std::int64_t, 2>());
    case 4:
      return body(std::integral_constant<std::int64_t, 4>());
    case 8:
      return body(std::integral_constant<std::int64_t, 8>());
    default:
      return body(std::integral_constant<std::int64_t, 0>());
  }
}

}  // namespace

void IndexedCopy::Run(const void* source, void* target, const FillElement& fill) const noexcept {
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(target);
  if (row_bytes_ == 0 || rows_ == 0) {
    return;
  }
  // Half the grain of a plain copy: short runs cost about twice as much a byte.
  ParallelFor(rows_, GrainOf(row_bytes_ * 2),
              [&](std::int64_t begin, std::int64_t end) { RunRows(from, to, begin, end, fill); });
}

void IndexedCopy::RunRows(const std::byte* source, std::byte* target, std::int64_t begin,
                          std::int64_t end, const FillElement& fill) const noexcept {
  const std::size_t inner = outer_.size() - 1;
  std::array<std::int64_t, kMaxRank> at{};
  std::int64_t rest = begin;
  for (std::size_t axis = outer_.size(); axis-- > 0;) {
    const auto extent = static_cast<std::int64_t>(outer_[axis].size());
    at[axis] = rest % extent;
    rest /= extent;
  }
  for (std::int64_t row = begin; row < end;) {
    std::int64_t base = 0;
    bool filled = false;
    for (std::size_t axis = 0; axis < inner; ++axis) {
      const std::int64_t part = outer_[axis][static_cast<std::size_t>(at[axis])];
      filled = filled || part == kFill;
      base += part;
    }
    const std::int64_t count =
        std::min(end - row, static_cast<std::int64_t>(outer_[inner].size()) - at[inner]);
    std::byte* const to = target + row * row_bytes_;
    if (filled) {
      FillBytes(to, count * row_bytes_, fill);
    } else {
      RunSpan(source + base, to, at[inner], count, fill);
    }
    row += count;
    at[inner] = 0;
    for (std::size_t axis = inner; axis-- > 0;) {
      if (++at[axis] < static_cast<std::int64_t>(outer_[axis].size())) {
        break;
      }
      at[axis] = 0;
    }
  }
}

void IndexedCopy::RunSpan(const std::byte* source, std::byte* target, std::int64_t first,
                          std::int64_t count, const FillElement& fill) const noexcept {
  std::int64_t done = std::min(count, period_);
  RunSpanOnce(source, target, first, done, fill);
  // The rows written so far are whole periods; as many as stay in a cache are copied again.
  constexpr std::int64_t kBlockBytes = std::int64_t{128} << 10;
  const std::int64_t most = std::max(period_, kBlockBytes / row_bytes_ / period_ * period_);
  while (done < count) {
    const std::int64_t again = std::min({done, most, count - done});
    std::memcpy(target + done * row_bytes_, target, static_cast<std::size_t>(again * row_bytes_));
    done += again;
  }
}

void IndexedCopy::RunSpanOnce(const std::byte* source, std::byte* target, std::int64_t first,
                              std::int64_t count, const FillElement& fill) const noexcept {
  const std::int64_t* const offsets = outer_.back().data() + first;
  if (row_step_) {
    return CopyRuns({.source = source + offsets[0] + row_[0].source,
                     .target = target,
                     .source_stride = *row_step_,
                     .target_stride = row_bytes_,
                     .bytes = row_bytes_,
                     .count = count});
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* const to = target + i * row_bytes_;
    if (offsets[i] == kFill) {
      FillBytes(to, row_bytes_, fill);
    } else if (i > 0 && offsets[i] == offsets[i - 1]) {
      std::memcpy(to, to - row_bytes_, static_cast<std::size_t>(row_bytes_));
    } else {
      RunRow(source + offsets[i], to, fill);
    }
  }
}

void IndexedCopy::RunRow(const std::byte* source, std::byte* target,
                         const FillElement& fill) const noexcept {
  for (const Segment& segment : row_) {
    const std::int64_t bytes = segment.count * block_bytes_;
    switch (segment.kind) {
      case Segment::Kind::kFilled:
        FillBytes(target, bytes, fill);
        break;
      case Segment::Kind::kContiguous:
        CopyBytes(target, source + segment.source, bytes);
        break;
      case Segment::Kind::kSpaced:
        CopySteps(segment, source + segment.source, target);
        break;
      case Segment::Kind::kRepeated:
        CopyRepeated(segment, source + segment.source, target);
        break;
      case Segment::Kind::kTable:
        CopyTable(segment, source, target, fill);
        break;
    }
    target += bytes;
  }
}

void IndexedCopy::FillBytes(std::byte* target, std::int64_t bytes,
                            const FillElement& fill) const noexcept {
  constexpr std::int64_t kWorthACall = 64;
  if (bytes >= kWorthACall && fill == FillElement{}) {
    std::memset(target, 0, static_cast<std::size_t>(bytes));
    return;
  }
  WithBlockSize(element_bytes_, [&](auto size) {
    for (std::int64_t i = 0; i < bytes; i += size()) {
      std::memcpy(target + i, fill.data(), static_cast<std::size_t>(size()));
    }
  });
}

void IndexedCopy::CopySteps(const Segment& segment, const std::byte* source,
                            std::byte* target) const noexcept {
  if (segment.step == 2 * block_bytes_ && segment.count >= kLeastOfEverySecond &&
      (block_bytes_ == 2 || block_bytes_ == 4 || block_bytes_ == 8)) {
    CopyEverySecond(source, target, segment.count, block_bytes_);
    return;
  }
  CopyRuns({.source = source,
            .target = target,
            .source_stride = segment.step,
            .target_stride = block_bytes_,
            .bytes = block_bytes_,
            .count = segment.count});
}

void IndexedCopy::CopyRepeated(const Segment& segment, const std::byte* source,
                               std::byte* target) const noexcept {
  WithBlockSize(block_bytes_, [&](auto size) {
    const std::int64_t bytes = size() != 0 ? size() : block_bytes_;
    const std::int64_t blocks = segment.count / segment.step;
    if (segment.step == 2) {  // a loop without an inner loop, which compilers turn into vectors
      for (std::int64_t i = 0; i < blocks; ++i) {
        std::memcpy(target + 2 * i * bytes, source + i * bytes, static_cast<std::size_t>(bytes));
        std::memcpy(target + (2 * i + 1) * bytes, source + i * bytes,
                    static_cast<std::size_t>(bytes));
      }
      return;
    }
    for (std::int64_t o = 0; o < segment.count; ++o) {
      std::memcpy(target + o * bytes, source + o / segment.step * bytes,
                  static_cast<std::size_t>(bytes));
    }
  });
}

void IndexedCopy::CopyTable(const Segment& segment, const std::byte* source, std::byte* target,
                            const FillElement& fill) const noexcept {
  WithBlockSize(block_bytes_, [&](auto size) {
    const std::int64_t bytes = size() != 0 ? size() : block_bytes_;
    for (std::int64_t i = 0; i < segment.count; ++i) {
      const std::int64_t offset = table_[static_cast<std::size_t>(i)];
      if (offset == kFill) {
        FillBytes(target + i * bytes, bytes, fill);
      } else {
        std::memcpy(target + i * bytes, source + offset, static_cast<std::size_t>(bytes));
      }
    }
  });
}

void CopyByIndices(const AxisIndices& indices, std::size_t element_bytes, const void* source,
                   void* target, const FillElement& fill) noexcept {
  const std::size_t rank = indices.axes.size();
  std::array<std::int64_t, kMaxRank> at{};
  std::int64_t count = 1;
  for (const auto& axis : indices.axes) {
    count *= static_cast<std::int64_t>(axis.size());
  }
  for (std::int64_t o = 0; o < count; ++o) {
    std::int64_t offset = 0;  // in elements
    bool filled = false;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t index = indices.axes[axis][static_cast<std::size_t>(at[axis])];
      filled = filled || index == kFill;
      offset = offset * indices.source[static_cast<int>(axis)] + index;
    }
    const auto* from = filled ? fill.data()
                              : static_cast<const std::byte*>(source) +
                                    offset * static_cast<std::int64_t>(element_bytes);
    std::memcpy(static_cast<std::byte*>(target) + o * static_cast<std::int64_t>(element_bytes),
                from, element_bytes);
    for (std::size_t axis = rank; axis-- > 0;) {
      if (++at[axis] < static_cast<std::int64_t>(indices.axes[axis].size())) {
        break;
      }
      at[axis] = 0;
    }
  }
}

}  // namespace halftone
