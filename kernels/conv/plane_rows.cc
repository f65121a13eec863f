#include "kernels/conv/plane_rows.h"

#include <algorithm>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/plane_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));

float Widened(float value) {
  return value;
}

template <typename Half>
float Widened(Half value) {
  return value.ToFloat();
}

template <typename To>
To Stored(float value) {
  if constexpr (std::is_same_v<To, float>) {
    return value;
  } else {
    return To::FromFloat(value);
  }
}

// A line of the source; reads stay before `end`.
template <typename From>
struct Line {
  const From* data;
  const From* end;
  std::int64_t count;  // of elements to copy
};

// Every `stride`-th element of a line. Vectors may write behind the run, up to `target_end`; what
// they write there is overwritten by whatever comes next in the plane.
template <typename From, typename To>
void CopyEvery(const Line<From>& line, std::int64_t stride, To* target, const To* target_end) {
  const D d;
  const std::int64_t count = line.count;
  const std::int64_t readable = line.end - line.data;
  const std::int64_t safe =
      std::min(stride == 1 ? readable : readable / stride, target_end - target);
  std::int64_t i = 0;
  if (stride == 1) {
    for (; i < count && i + kLanes <= safe; i += kLanes) {
      StoreFloats(LoadFloats(d, line.data + i), d, target + i);
    }
  }
#if HALFTONE_CAN(SPLIT_VECTORS)
  if (stride == 2) {
    for (; i < count && i + kLanes <= safe; i += kLanes) {
      const auto low = LoadFloats(d, line.data + 2 * i);
      const auto high = LoadFloats(d, line.data + 2 * i + kLanes);
      StoreFloats(hn::ConcatEven(d, high, low), d, target + i);
    }
  }
#endif
  for (; i < count; ++i) {
    target[i] = Stored<To>(Widened(line.data[i * stride]));
  }
}

// True if a window reads this layer (axis 0) or row (axis 1); a strided 1x1 convolution reads few
// of them.
bool SomeTapReads(const WindowGeometry& window, std::size_t axis, std::int64_t index) {
  for (std::int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
    const std::int64_t from = index - tap * window.dilation[axis];
    if (from >= 0 && from % window.stride[axis] == 0) {
      return true;
    }
  }
  return false;
}

// Source and target of the columns of a line that belong to one phase.
struct Phase {
  std::int64_t first = 0;   // column of the line
  std::int64_t place = 0;   // element of the phase
  std::int64_t length = 0;  // 0: none
};

Phase PhaseOf(const PlaneLayout& layout, std::int64_t phase, std::int64_t pad, std::int64_t count) {
  const std::int64_t first = (phase - pad % layout.phases + layout.phases) % layout.phases;
  return {.first = first,
          .place = std::min((pad + first) / layout.phases, layout.phase_size),
          .length = std::max<std::int64_t>(0, (count - first + layout.phases - 1) / layout.phases)};
}

// A layer: `source` are its rows, `target_end` the end of the plane.
template <typename From, typename To>
void LayOutLayer(const PlaneRows& rows, const From* source, To* target, const To* target_end) {
  const WindowGeometry& window = *rows.window;
  const PlaneLayout& layout = *rows.layout;
  const To padding = Stored<To>(rows.padding);
  const std::int64_t pad = window.pad[2];
  const std::int64_t count = std::min(window.input[2], layout.columns - pad);
  // Divisions are dear beside rows of a few vectors: the usual strides are worked out once.
  constexpr std::int64_t kKnown = 4;
  Phase known[kKnown];
  for (std::int64_t phase = 0; phase < std::min(layout.phases, kKnown); ++phase) {
    known[phase] = PhaseOf(layout, phase, pad, count);
  }
  for (std::int64_t y = 0; y < layout.rows; ++y) {
    To* row = target + y * layout.row_size();
    const std::int64_t from = y - window.pad[1];
    if (from < 0 || from >= window.input[1] || count <= 0) {
      std::fill(row, row + layout.row_size(), padding);
      continue;
    }
    if (window.stride[1] > 1 && !SomeTapReads(window, 1, y)) {
      continue;
    }
    const From* line = source + from * window.input[2];
    for (std::int64_t p = 0; p < layout.phases; ++p) {
      To* part = row + p * layout.phase_size;
      const Phase phase = p < kKnown ? known[p] : PhaseOf(layout, p, pad, count);
      std::fill(part, part + phase.place, padding);
      if (phase.length > 0) {
        CopyEvery(Line<From>{line + phase.first, reinterpret_cast<const From*>(rows.source_end),
                             phase.length},
                  layout.phases, part + phase.place, target_end);
      }
      std::fill(part + std::min(phase.place + phase.length, layout.phase_size),
                part + layout.phase_size, padding);
    }
  }
}

template <typename From, typename To>
void LayOut(const PlaneRows& rows) {
  const WindowGeometry& window = *rows.window;
  const PlaneLayout& layout = *rows.layout;
  auto* target = static_cast<To*>(rows.target);
  const To* target_end = target + layout.size();
  for (std::int64_t z = 0; z < layout.layers; ++z, target += layout.layer_size()) {
    const std::int64_t from = z - window.pad[0];
    if (from < 0 || from >= window.input[0]) {
      std::fill_n(target, layout.layer_size(), Stored<To>(rows.padding));
    } else if (window.stride[0] == 1 || SomeTapReads(window, 0, z)) {
      LayOutLayer(
          rows,
          reinterpret_cast<const From*>(rows.source) + from * window.input[1] * window.input[2],
          target, target_end);
    }
  }
}

template <typename From>
void LayOutFrom(const PlaneRows& rows) {
  if (rows.to == DType::kBFloat16) {
    LayOut<From, BFloat16>(rows);
  } else {
    LayOut<From, float>(rows);
  }
}

void LayOutAll(const PlaneRows& rows) {
  if (rows.to == DType::kFloat16) {
    LayOut<Float16, Float16>(rows);
  } else if (rows.source_dtype == DType::kFloat16) {
    LayOutFrom<Float16>(rows);
  } else if (rows.source_dtype == DType::kBFloat16) {
    LayOutFrom<BFloat16>(rows);
  } else {
    LayOutFrom<float>(rows);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(LayOutAll);

}  // namespace

void LayOutRows(const PlaneRows& rows) noexcept {
  HWY_DYNAMIC_DISPATCH(LayOutAll)(rows);
}

}  // namespace halftone
#endif  // HWY_ONCE
