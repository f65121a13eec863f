// NonZero and NonMaxSuppression: every run computes the number of results, which must equal the
// planned count (src/ir/run_time_extent.h).
#include <algorithm>
#include <cstring>

#include "kernels/gemm/matrix_call.h"
#include "kernels/select/select.h"
#include "src/ir/box_selection.h"

namespace halftone {
namespace {

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

struct NonZeroState final : KernelState {
  explicit NonZeroState(const KernelQuery& query) : constants(query) {}

  ConstantInputs constants;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t planned = 0;
};

// Calls found(i) for each element that is not zero, -0 is; by the bits that say so.
template <typename Word, typename Found>
void ForEachOf(const void* data, std::int64_t count, bool floating, const Found& found) {
  const auto all = static_cast<Word>(~Word{0});
  const auto mask = floating ? static_cast<Word>(all >> 1U) : all;
  for (std::int64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, static_cast<const Word*>(data) + i, sizeof word);
    if ((word & mask) != 0) {
      found(i);
    }
  }
}

template <typename Found>
void ForEachNonZero(const NonZeroState& s, const void* data, const Found& found) {
  const std::int64_t count = s.shape.ElementCount();
  switch (SizeOf(s.dtype)) {
    case 1:
      return ForEachOf<std::uint8_t>(data, count, false, found);
    case 2:
      return ForEachOf<std::uint16_t>(data, count, IsFloating(s.dtype), found);
    case 4:
      return ForEachOf<std::uint32_t>(data, count, IsFloating(s.dtype), found);
    default:
      return ForEachOf<std::uint64_t>(data, count, IsFloating(s.dtype), found);
  }
}

struct BoxState final : KernelState {
  explicit BoxState(const KernelQuery& query) : constants(query) {}

  ConstantInputs constants;
  BoxSelection call;          // what is known before a run
  std::vector<DType> dtypes;  // of the operands
  std::vector<bool> given;    // operands that are there
  std::int64_t planned = 0;

  // Regions of the scratch: candidates in order, selected boxes, boxes and scores as float32.
  [[nodiscard]] std::int64_t order_bytes() const { return RoundUp(call.count * 8); }

  [[nodiscard]] std::int64_t kept_bytes() const {
    return RoundUp(call.count * static_cast<std::int64_t>(sizeof(Box)));
  }

  [[nodiscard]] std::int64_t box_count() const { return call.images * call.count * 4; }

  [[nodiscard]] std::int64_t score_count() const { return call.images * call.classes * call.count; }

  [[nodiscard]] std::int64_t boxes_bytes() const {
    return dtypes[0] == DType::kFloat32 ? 0 : RoundUp(box_count() * 4);
  }

  [[nodiscard]] std::int64_t scores_bytes() const {
    return dtypes[1] == DType::kFloat32 ? 0 : RoundUp(score_count() * 4);
  }
};

bool HasElements(const KernelQuery& query, std::size_t i) {
  return query.Input(i) != nullptr && query.Input(i)->shape.ElementCount() > 0;
}

double ScalarOr(const BoxState& s, const KernelArgs& args, std::size_t i, double absent) {
  return s.given[i] ? DoubleAt(s.dtypes[i], s.constants.Input(args, i), 0) : absent;
}

// An operand as float32: in place, or converted to `target`.
const float* FloatsOf(const BoxState& s, const KernelArgs& args, std::size_t i, std::int64_t count,
                      std::byte* target) {
  const void* data = s.constants.Input(args, i);
  if (s.dtypes[i] == DType::kFloat32) {
    return static_cast<const float*>(data);
  }
  auto* floats = reinterpret_cast<float*>(target);
  for (std::int64_t k = 0; k < count; ++k) {
    floats[k] = static_cast<float>(DoubleAt(s.dtypes[i], data, k));
  }
  return floats;
}

}  // namespace

std::unique_ptr<KernelState> PrepareNonZero(const KernelQuery& query) {
  auto state = std::make_unique<NonZeroState>(query);
  state->dtype = query.inputs.at(0)->dtype;
  state->shape = query.inputs[0]->shape;
  state->strides = StridesOf(state->shape);
  state->planned = query.outputs.at(0)->shape[1];
  return state;
}

// Row `axis` of the result holds that coordinate of all elements that are not zero.
void RunNonZero(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const NonZeroState&>(*args.state);
  const void* x = s.constants.Input(args, 0);
  auto* y = static_cast<std::int64_t*>(args.outputs[0]);
  std::int64_t count = 0;
  ForEachNonZero(s, x, [&](std::int64_t /*i*/) { ++count; });
  const int rank = s.shape.rank();
  if (count != s.planned) {
    NoteOtherCount(args);
    std::fill_n(y, std::max(rank, 1) * s.planned, std::int64_t{0});
    return;
  }
  std::int64_t at = 0;
  ForEachNonZero(s, x, [&](std::int64_t i) {
    y[at] = 0;  // of a scalar
    for (int axis = 0; axis < rank; ++axis) {
      y[axis * s.planned + at] = i / s.strides[static_cast<std::size_t>(axis)] % s.shape[axis];
    }
    ++at;
  });
}

std::unique_ptr<KernelState> PrepareNonMaxSuppression(const KernelQuery& query) {
  auto state = std::make_unique<BoxState>(query);
  const Shape& scores = query.inputs.at(1)->shape;
  state->call.images = scores[0];
  state->call.classes = scores[1];
  state->call.count = scores[2];
  state->call.centered = query.attributes->Int("center_point_box", 0) != 0;
  for (std::size_t i = 0; i < 5; ++i) {
    state->given.push_back(HasElements(query, i));
    state->dtypes.push_back(query.Input(i) != nullptr ? query.Input(i)->dtype : DType::kFloat32);
  }
  state->planned = query.outputs.at(0)->shape[0];
  return state;
}

std::size_t NonMaxSuppressionScratch(const KernelState& state) {
  const auto& s = static_cast<const BoxState&>(state);
  return static_cast<std::size_t>(s.order_bytes() + s.kept_bytes() + s.boxes_bytes() +
                                  s.scores_bytes());
}

void RunNonMaxSuppression(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const BoxState&>(*args.state);
  std::byte* converted = args.scratch + s.order_bytes() + s.kept_bytes();
  BoxSelection call = s.call;
  call.boxes = FloatsOf(s, args, 0, s.box_count(), converted);
  call.scores = FloatsOf(s, args, 1, s.score_count(), converted + s.boxes_bytes());
  call.most = static_cast<std::int64_t>(ScalarOr(s, args, 2, 0));
  call.overlap = static_cast<float>(ScalarOr(s, args, 3, 0));
  if (s.given[4]) {
    call.least = static_cast<float>(ScalarOr(s, args, 4, 0));
  }
  auto* y = static_cast<std::int64_t*>(args.outputs[0]);
  auto* order = reinterpret_cast<std::int64_t*>(args.scratch);
  auto* kept = reinterpret_cast<Box*>(args.scratch + s.order_bytes());
  std::int64_t count = 0;
  ForEachSelectedBox(call, order, kept,
                     [&](std::int64_t image, std::int64_t type, std::int64_t box) {
                       if (count < s.planned) {
                         y[count * 3] = image;
                         y[count * 3 + 1] = type;
                         y[count * 3 + 2] = box;
                       }
                       ++count;
                     });
  if (count != s.planned) {
    NoteOtherCount(args);
    std::fill_n(y, 3 * s.planned, std::int64_t{0});
  }
}

}  // namespace halftone
