#include <algorithm>
#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/parallel.h"
#include "kernels/strided/axis_indices.h"
#include "kernels/strided/every_second.h"

namespace halftone {
namespace {

bool IsWhole(const std::vector<std::int64_t>& indices, std::int64_t source_extent) {
  if (static_cast<std::int64_t>(indices.size()) != source_extent) {
    return false;
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

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

// Runs of fewer blocks than this, on average, are slower to walk than a table of offsets.
constexpr std::size_t kShortRun = 8;

// The indices of the current outer position.
struct Counter {
  std::array<std::int64_t, kMaxRank> at{};
  int axes = 0;
};

}  // namespace

IndexedCopy::IndexedCopy(const AxisIndices& indices, std::size_t element_bytes)
    : element_bytes_(static_cast<std::int64_t>(element_bytes)), block_bytes_(element_bytes_) {
  int last = indices.source.rank() - 1;
  for (; last >= 0 && IsWhole(indices.axes[static_cast<std::size_t>(last)], indices.source[last]);
       --last) {
    block_bytes_ *= indices.source[last];
  }
  if (last < 0) {
    row_bytes_ = block_bytes_;
    row_.push_back({Segment::Kind::kContiguous, 1, 0, block_bytes_});
    return;
  }
  const auto& row = indices.axes[static_cast<std::size_t>(last)];
  CompileRow(row);
  row_bytes_ = block_bytes_ * static_cast<std::int64_t>(row.size());
  std::int64_t stride = block_bytes_ * indices.source[last];
  outer_.resize(static_cast<std::size_t>(last));
  for (int axis = last - 1; axis >= 0; --axis) {
    auto& offsets = outer_[static_cast<std::size_t>(axis)];
    offsets = indices.axes[static_cast<std::size_t>(axis)];
    for (std::int64_t& offset : offsets) {
      offset = offset == kFill ? kFill : offset * stride;
    }
    rows_ *= static_cast<std::int64_t>(offsets.size());
    stride *= indices.source[axis];
  }
}

// Every index of a run of numbers the same number of times, as enlarging by a whole factor does.
bool IndexedCopy::CompileRepeats(const std::vector<std::int64_t>& indices) {
  std::size_t times = 0;
  while (times < indices.size() && indices[times] == indices[0]) {
    ++times;
  }
  if (times < 2 || times == indices.size() || indices[0] == kFill || indices.size() % times != 0) {
    return false;
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != indices[0] + static_cast<std::int64_t>(i / times)) {
      return false;
    }
  }
  row_ = {{Segment::Kind::kRepeated, static_cast<std::int64_t>(indices.size()),
           indices[0] * block_bytes_, static_cast<std::int64_t>(times)}};
  return true;
}

void IndexedCopy::CompileRow(const std::vector<std::int64_t>& indices) {
  if (CompileRepeats(indices)) {
    return;
  }
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    Segment segment{Segment::Kind::kFilled, 0, 0, 0};
    if (indices[i] == kFill) {
      while (end < indices.size() && indices[end] == kFill) {
        ++end;
      }
    } else {
      const std::int64_t step =
          end < indices.size() && indices[end] != kFill ? indices[end] - indices[i] : 1;
      while (end < indices.size() && indices[end] != kFill &&
             indices[end] - indices[end - 1] == step) {
        ++end;
      }
      segment = {step == 1 ? Segment::Kind::kContiguous : Segment::Kind::kSpaced, 0,
                 indices[i] * block_bytes_, step * block_bytes_};
    }
    segment.count = static_cast<std::int64_t>(end - i);
    row_.push_back(segment);
    i = end;
  }
  if (row_.size() > 4 && indices.size() / row_.size() < kShortRun) {
    row_ = {{Segment::Kind::kTable, static_cast<std::int64_t>(indices.size()), 0, 0}};
    for (const std::int64_t index : indices) {
      table_.push_back(index == kFill ? kFill : index * block_bytes_);
    }
  }
}

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
  Counter counter;
  counter.axes = static_cast<int>(outer_.size());
  std::int64_t previous =
      kFill;  // source offset of the row before: an equal row is copied from there
  std::int64_t rest = begin;
  for (int axis = counter.axes - 1; axis >= 0; --axis) {
    const auto extent = static_cast<std::int64_t>(outer_[static_cast<std::size_t>(axis)].size());
    counter.at[static_cast<std::size_t>(axis)] = rest % extent;
    rest /= extent;
  }
  for (std::int64_t row = begin; row < end; ++row) {
    std::int64_t offset = 0;
    bool filled = false;
    for (std::size_t axis = 0; axis < outer_.size(); ++axis) {
      const std::int64_t part = outer_[axis][static_cast<std::size_t>(counter.at[axis])];
      filled = filled || part == kFill;
      offset += part;
    }
    if (filled) {
      FillBytes(target + row * row_bytes_, row_bytes_, fill);
      offset = kFill;
    } else if (offset == previous) {
      std::memcpy(target + row * row_bytes_, target + (row - 1) * row_bytes_,
                  static_cast<std::size_t>(row_bytes_));
    } else {
      RunRow(source + offset, target + row * row_bytes_, fill);
    }
    previous = offset;
    for (int axis = counter.axes - 1; axis >= 0; --axis) {
      auto& at = counter.at[static_cast<std::size_t>(axis)];
      if (++at < static_cast<std::int64_t>(outer_[static_cast<std::size_t>(axis)].size())) {
        break;
      }
      at = 0;
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
  WithBlockSize(block_bytes_, [&](auto size) {
    const std::int64_t bytes = size() != 0 ? size() : block_bytes_;
    for (std::int64_t i = 0; i < segment.count; ++i) {
      std::memcpy(target + i * bytes, source + i * segment.step, static_cast<std::size_t>(bytes));
    }
  });
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
