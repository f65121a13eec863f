#include <algorithm>

#include "kernels/strided/axis_indices.h"

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

// With fewer blocks a run than this, on average, runs are slower than a table of offsets.
constexpr std::size_t kShortRun = 8;

// The one distance between neighbours, none of which is filled; empty when there is none.
std::optional<std::int64_t> StepOf(const std::vector<std::int64_t>& offsets) {
  const std::int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] == kFill || (i > 0 && offsets[i] - offsets[i - 1] != step)) {
      return std::nullopt;
    }
  }
  return step;
}

// The least p with offsets[i + p] = offsets[i]; their number when they do not repeat.
std::int64_t PeriodOf(const std::vector<std::int64_t>& offsets) {
  // The longest part that is both in front and at the end, of each beginning (Knuth, Morris,
  // Pratt).
  std::vector<std::size_t> border(offsets.size(), 0);
  std::size_t length = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    while (length > 0 && offsets[i] != offsets[length]) {
      length = border[length - 1];
    }
    length += offsets[i] == offsets[length] ? 1 : 0;
    border[i] = length;
  }
  return static_cast<std::int64_t>(offsets.size() - length);
}

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
  } else {
    const auto& row = indices.axes[static_cast<std::size_t>(last)];
    CompileRow(row);
    row_bytes_ = block_bytes_ * static_cast<std::int64_t>(row.size());
  }
  CompileOuter(indices, std::max(last, 0));
  period_ = PeriodOf(outer_.back());
  if (row_.size() == 1 && row_[0].kind == Segment::Kind::kContiguous) {
    row_step_ = StepOf(outer_.back());
  }
}

// Compiles the offsets of the first `axes` axes, without those of no effect.
void IndexedCopy::CompileOuter(const AxisIndices& indices, int axes) {
  std::int64_t stride = element_bytes_ * indices.source.ElementCount(axes, indices.source.rank());
  for (int axis = axes - 1; axis >= 0; --axis) {
    std::vector<std::int64_t> offsets = indices.axes[static_cast<std::size_t>(axis)];
    rows_ *= static_cast<std::int64_t>(offsets.size());
    if (offsets != std::vector<std::int64_t>{0}) {
      for (std::int64_t& offset : offsets) {
        offset = offset == kFill ? kFill : offset * stride;
      }
      outer_.push_back(std::move(offsets));
    }
    stride *= indices.source[axis];
  }
  if (outer_.empty()) {
    outer_.push_back({0});
  }
  std::ranges::reverse(outer_);
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

}  // namespace halftone
