#include "kernels/conv/pixel_panel.h"

#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/pixel_panel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<float>()));

// Copies runs in whole vectors from left to right: elements that a vector writes beyond its run are
// overwritten by the next run or the next step, or lie in the slack. `kColumns`: columns of the
// panel, or 0 if they are not known at compile time.
template <int kColumns>
void FloatsOf(const GatherArgs& args) {
  const hn::ScalableTag<float> d;
  const PixelPanel& panel = *args.panel;
  const int columns = kColumns != 0 ? kColumns : panel.columns;
  const auto* planes = static_cast<const float*>(args.planes);
  auto* target = static_cast<float*>(args.target);
  if (args.exact) {
    for (std::int64_t k = 0; k < args.steps; ++k) {
      for (int r = 0; r < panel.run_count; ++r) {
        const PixelRun& run = panel.runs[r];
        std::memcpy(target + k * columns + run.column, planes + args.offsets[k] + run.source,
                    static_cast<std::size_t>(run.count) * sizeof(float));
      }
    }
    return;
  }
  if (panel.run_count == 1 && panel.runs[0].count == columns) {
    const float* from = planes + panel.runs[0].source;
    for (std::int64_t k = 0; k < args.steps; ++k) {
      for (int j = 0; j < columns; j += kLanes) {
        hn::StoreU(hn::LoadU(d, from + args.offsets[k] + j), d, target + k * columns + j);
      }
    }
    return;
  }
  for (std::int64_t k = 0; k < args.steps; ++k) {
    const float* tap = planes + args.offsets[k];
    for (int r = 0; r < panel.run_count; ++r) {
      const PixelRun& run = panel.runs[r];
      float* to = target + k * columns + run.column;
      for (int j = 0; j < run.count; j += kLanes) {
        hn::StoreU(hn::LoadU(d, tap + run.source + j), d, to + j);
      }
    }
  }
}

void Floats(const GatherArgs& args) {
  if (args.panel->columns == kTileColumns) {
    FloatsOf<kTileColumns>(args);
  } else {
    FloatsOf<0>(args);
  }
}

// Pairs() without a byte beyond the runs.
void ExactPairs(const GatherArgs& args) {
  const PixelPanel& panel = *args.panel;
  const std::int64_t columns = panel.columns;
  const auto* planes = static_cast<const std::uint16_t*>(args.planes);
  auto* target = static_cast<std::uint32_t*>(args.target);
  for (std::int64_t k = 0; k < args.steps; ++k) {
    const std::uint16_t* even = planes + args.offsets[2 * k];
    const bool alone = args.odd_end && k + 1 == args.steps;
    const std::uint16_t* odd = planes + args.offsets[2 * k + 1];
    for (int r = 0; r < panel.run_count; ++r) {
      const PixelRun& run = panel.runs[r];
      for (std::int64_t j = 0; j < run.count; ++j) {
        const std::uint32_t high = alone ? 0U : odd[run.source + j];
        target[k * columns + run.column + j] = high << 16 | even[run.source + j];
      }
    }
  }
}

// One word a pixel: the value under the first tap of a pair in the lower half.
void Pairs(const GatherArgs& args) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> dh;
  const PixelPanel& panel = *args.panel;
  const std::int64_t columns = panel.columns;
  const auto* planes = static_cast<const std::uint16_t*>(args.planes);
  auto* target = static_cast<std::uint32_t*>(args.target);
  const auto gather = [&](std::int64_t k, auto upper_mask) HWY_ATTR {
    const std::uint16_t* even = planes + args.offsets[2 * k];
    const std::uint16_t* odd = planes + args.offsets[2 * k + 1];
    for (int r = 0; r < panel.run_count; ++r) {
      const PixelRun& run = panel.runs[r];
      std::uint32_t* to = target + k * columns + run.column;
      for (int j = 0; j < run.count; j += kLanes) {
        const auto low = hn::PromoteTo(d, hn::LoadU(dh, even + run.source + j));
        const auto high = hn::PromoteTo(d, hn::LoadU(dh, odd + run.source + j));
        hn::StoreU(hn::Or(low, hn::And(hn::ShiftLeft<16>(high), upper_mask)), d, to + j);
      }
    }
  };
  if (args.exact) {
    return ExactPairs(args);
  }
  const std::int64_t whole = args.odd_end ? args.steps - 1 : args.steps;
  for (std::int64_t k = 0; k < whole; ++k) {
    gather(k, hn::Set(d, 0xffffffffU));
  }
  if (args.odd_end) {
    gather(whole, hn::Zero(d));
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Floats);
HWY_EXPORT(Pairs);

}  // namespace

void GatherFloats(const GatherArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(Floats)(args);
}

void GatherPairs(const GatherArgs& args) noexcept {
  HWY_DYNAMIC_DISPATCH(Pairs)(args);
}

}  // namespace halftone
#endif  // HWY_ONCE
