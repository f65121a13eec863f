#include <array>
#include <utility>

#include "kernels/cast/cast.h"
#include "kernels/cast/element_conversion.h"
#include "kernels/cast/half_loops.h"
#include "kernels/cast/integer_loops.h"
#include "kernels/cast/to_format.h"
#include "kernels/copy/copy_bytes.h"
#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using CastLoop = HalfLoop;  // (source, target, count), for any pair of dtypes

struct CastState final : KernelState {
  CastLoop loop = nullptr;
  std::int64_t count = 0;
  std::int64_t from_bytes = 0;  // of one element
  std::int64_t to_bytes = 0;
  std::int64_t grain = 0;  // elements
};

template <typename From, typename To>
void ElementLoop(const void* source, void* target, std::int64_t count) {
  const auto* from = static_cast<const From*>(source);
  auto* to = static_cast<To*>(target);
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = ConvertElement<To>(from[i]);
  }
}

// The row of loops from one type, in the order of DType.
template <typename From>
constexpr std::array<CastLoop, std::size(kDTypes)> LoopsFrom() {
  return {ElementLoop<From, float>,        ElementLoop<From, Float16>,
          ElementLoop<From, BFloat16>,     ElementLoop<From, double>,
          ElementLoop<From, std::int8_t>,  ElementLoop<From, std::uint8_t>,
          ElementLoop<From, std::int16_t>, ElementLoop<From, std::uint16_t>,
          ElementLoop<From, std::int32_t>, ElementLoop<From, std::uint32_t>,
          ElementLoop<From, std::int64_t>, ElementLoop<From, std::uint64_t>,
          ElementLoop<From, BoolByte>};
}

constexpr std::array<std::array<CastLoop, std::size(kDTypes)>, std::size(kDTypes)> kLoops = {
    LoopsFrom<float>(),         LoopsFrom<Float16>(),       LoopsFrom<BFloat16>(),
    LoopsFrom<double>(),        LoopsFrom<std::int8_t>(),   LoopsFrom<std::uint8_t>(),
    LoopsFrom<std::int16_t>(),  LoopsFrom<std::uint16_t>(), LoopsFrom<std::int32_t>(),
    LoopsFrom<std::uint32_t>(), LoopsFrom<std::int64_t>(),  LoopsFrom<std::uint64_t>(),
    LoopsFrom<BoolByte>()};

std::unique_ptr<CastState> StateOf(const KernelQuery& query, CastLoop loop, std::int64_t grain) {
  const TensorType& from = *query.inputs.at(0);
  const TensorType& to = *query.outputs.at(0);
  Check(from.shape.ElementCount() == to.shape.ElementCount(), "Cast keeps the shape");
  auto state = std::make_unique<CastState>();
  state->loop = loop;
  state->count = to.shape.ElementCount();
  state->from_bytes = static_cast<std::int64_t>(SizeOf(from.dtype));
  state->to_bytes = static_cast<std::int64_t>(SizeOf(to.dtype));
  state->grain = grain;
  return state;
}

std::string_view RefuseFormats(const KernelQuery& query) {
  return CastsToFormat(query) ? "rounds to dtypes only" : "";
}

std::string_view RefuseOtherPairs(const KernelQuery& query) {
  if (CastsToFormat(query)) {
    return RefuseFormats(query);
  }
  return HalfLoopFor(query.inputs.at(0)->dtype, query.outputs.at(0)->dtype) == nullptr
             ? "converts between float32, float16 and bfloat16 only"
             : "";
}

std::unique_ptr<KernelState> PrepareHalf(const KernelQuery& query) {
  // 128 Ki elements move 768 KiB or less: about 25 us at the copy speed of one core.
  return StateOf(query, HalfLoopFor(query.inputs.at(0)->dtype, query.outputs.at(0)->dtype),
                 1 << 17);
}

std::string_view RefuseOtherIntegers(const KernelQuery& query) {
  if (CastsToFormat(query)) {
    return RefuseFormats(query);
  }
  return IntegerLoopFor(query.inputs.at(0)->dtype, query.outputs.at(0)->dtype) == nullptr
             ? "converts to int64 and to integers of fewer bits, not to uint32"
             : "";
}

std::unique_ptr<KernelState> PrepareInteger(const KernelQuery& query) {
  // 0.4 ns an element: 25 us.
  return StateOf(query, IntegerLoopFor(query.inputs.at(0)->dtype, query.outputs.at(0)->dtype),
                 1 << 16);
}

std::unique_ptr<KernelState> PrepareAny(const KernelQuery& query) {
  const auto from = static_cast<std::size_t>(query.inputs.at(0)->dtype);
  const auto to = static_cast<std::size_t>(query.outputs.at(0)->dtype);
  // Scalar: about 1 ns an element.
  return StateOf(query, kLoops[from][to], 1 << 15);
}

void Run(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const CastState*>(args.state);
  const auto* from = static_cast<const std::byte*>(args.inputs[0]);
  auto* to = static_cast<std::byte*>(args.outputs[0]);
  ParallelFor(state.count, state.grain, [&](std::int64_t begin, std::int64_t end) {
    state.loop(from + begin * state.from_bytes, to + begin * state.to_bytes, end - begin);
  });
}

void RunRange(const RangeArgs& args) noexcept {
  static_cast<const CastState&>(*args.state)
      .loop(args.inputs[0], args.output, args.end - args.begin);
}

constexpr Component kCastLoops{.name = "cast"};

constexpr KernelEntry kRows[] = {
    KernelEntry{"cast.half.avx2", OpKind::kCast, kTunableDTypes, ImplMode::kDefault, kIsaAvx2,
                RefuseOtherPairs, PrepareHalf, nullptr, Run, false}
        .With(RunRange),
    KernelEntry{"cast.integer.vector", OpKind::kCast, kTunableDTypes, ImplMode::kDefault, kIsaAny,
                RefuseOtherIntegers, PrepareInteger, nullptr, Run, false}
        .With(RunRange),
    {"cast.format.reference", OpKind::kCast, kTunableDTypes, ImplMode::kDefault, kIsaAny,
     CastToFormatRefusal, PrepareCastToFormat, nullptr, RunCastToFormat, true},
    KernelEntry{"cast.any.reference", OpKind::kCast, kAllDTypes, ImplMode::kDefault, kIsaAny,
                RefuseFormats, PrepareAny, nullptr, Run, true}
        .With(RunRange),
};

constexpr auto kEntries = MadeOf({&kCastLoops, &kHalfLoops, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> CastKernels() {
  return kEntries;
}

}  // namespace halftone
