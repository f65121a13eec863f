#include "kernels/cast/to_format.h"

#include <optional>

#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/ir/numeric_format.h"
#include "src/ir/tensor.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrain = 1 << 14;  // about 2 ns an element: 25 us

struct FormatState final : KernelState {
  DType from = DType::kFloat32;
  DType to = DType::kFloat32;
  float (*round)(float value) = nullptr;
  std::int64_t count = 0;
};

}  // namespace

bool CastsToFormat(const KernelQuery& query) {
  return query.fusion->format.has_value();
}

std::string_view CastToFormatRefusal(const KernelQuery& query) {
  return CastsToFormat(query) ? "" : "rounds to formats that are no dtype";
}

std::unique_ptr<KernelState> PrepareCastToFormat(const KernelQuery& query) {
  const std::optional<NumericFormat>& format = query.fusion->format;
  Check(format.has_value() && format->row().round != nullptr,
        "a Cast names a format without rounding of its own");
  auto state = std::make_unique<FormatState>();
  state->from = query.inputs.at(0)->dtype;
  state->to = query.outputs.at(0)->dtype;
  state->round = format->row().round;
  state->count = query.outputs[0]->shape.ElementCount();
  return state;
}

void RunCastToFormat(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const FormatState&>(*args.state);
  ParallelFor(s.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto value = static_cast<float>(DoubleAt(s.from, args.inputs[0], i));
      StoreDouble(s.to, args.outputs[0], i, s.round(value));
    }
  });
}

}  // namespace halftone
