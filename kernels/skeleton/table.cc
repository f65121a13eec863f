#include <fmt/format.h>

#include "kernels/parallel.h"
#include "kernels/skeleton/skeleton.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Number of elements that are worth waking a thread for: about 25 us at one element a nanosecond.
constexpr std::int64_t kGrain = 1 << 15;

// State that prepare() leaves for run(), which looks up, parses and allocates nothing.
struct SkeletonState final : KernelState {
  float factor = 1;
  float offset = 0;
  DType dtype = DType::kFloat32;
  std::int64_t count = 0;
};

// One condition a line; the text completes "skeleton.f32.portable ...".
std::string_view Refusal(const KernelQuery& query) {
  return query.outputs.at(0)->dtype != query.inputs.at(0)->dtype ? "keeps the dtype of its input"
                                                                 : "";
}

std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const TensorType& y = *query.outputs.at(0);
  if (x.shape != y.shape) {
    throw Error(ErrorKind::kModel, fmt::format("Skeleton: expected an output of shape {}, got {}",
                                               x.shape.ToString(), y.shape.ToString()));
  }
  auto state = std::make_unique<SkeletonState>();
  state->factor = query.attributes->Float("factor", 1);
  state->offset = query.attributes->Float("offset", 0);
  state->dtype = x.dtype;
  state->count = x.shape.ElementCount();
  return state;
}

void RunFloat32(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const SkeletonState*>(args.state);
  const auto* x = static_cast<const float*>(args.inputs[0]);
  auto* y = static_cast<float*>(args.outputs[0]);
  ParallelFor(state.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      y[i] = state.factor * x[i] + state.offset;
    }
  });
}

void RunReference(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const SkeletonState*>(args.state);
  for (std::int64_t i = 0; i < state.count; ++i) {
    const double x = DoubleAt(state.dtype, args.inputs[0], i);
    StoreDouble(state.dtype, args.outputs[0], i,
                static_cast<double>(state.factor) * x + static_cast<double>(state.offset));
  }
}

constexpr DTypeSet kFloating = kTunableDTypes | DTypeSet(DType::kFloat64);

constexpr Component kSkeleton{.name = "skeleton"};

constexpr KernelEntry kRows[] = {
    {.name = "skeleton.f32.portable",
     .op = OpKind::kAbs,
     .dtypes = DTypeSet(DType::kFloat32),
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = Refusal,
     .prepare = Prepare,
     .scratch_bytes = nullptr,
     .run = RunFloat32},
    {.name = "skeleton.any.reference",
     .op = OpKind::kAbs,
     .dtypes = kFloating,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = Refusal,
     .prepare = Prepare,
     .scratch_bytes = nullptr,
     .run = RunReference,
     .is_reference = true},
};

constexpr auto kEntries = MadeOf({&kSkeleton}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> SkeletonKernels() {
  return kEntries;
}

}  // namespace halftone
