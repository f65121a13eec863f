#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/fill/fill.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// The whole output, computed in prepare(), because these operators depend only on shapes and
// constants.
struct ValueState final : KernelState {
  explicit ValueState(Tensor content) : value(std::move(content)) {}

  Tensor value;
};

void RunValue(const KernelArgs& args) noexcept {
  const Tensor& value = static_cast<const ValueState*>(args.state)->value;
  std::memcpy(args.outputs[0], value.data(), value.size_bytes());
}

std::unique_ptr<KernelState> PrepareShape(const KernelQuery& query) {
  const Shape& shape = query.inputs.at(0)->shape;
  // Both ends are clamped to [0, rank]; negative ones count from the back.
  const auto clamp = [&](std::int64_t end) {
    return std::clamp<std::int64_t>(end < 0 ? end + shape.rank() : end, 0, shape.rank());
  };
  const std::int64_t begin = clamp(query.attributes->Int("start", 0));
  const std::int64_t end = std::max(begin, clamp(query.attributes->Int("end", shape.rank())));
  return std::make_unique<ValueState>(Tensor::From<std::int64_t>(
      {end - begin},
      std::span(shape.dims())
          .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))));
}

std::unique_ptr<KernelState> PrepareSize(const KernelQuery& query) {
  const std::int64_t count[] = {query.inputs.at(0)->shape.ElementCount()};
  return std::make_unique<ValueState>(Tensor::From<std::int64_t>({}, count));
}

// One element, repeated.
struct ConstantState final : KernelState {
  std::byte element[8] = {};
  std::size_t size = 0;
  std::int64_t count = 0;
};

std::unique_ptr<KernelState> PrepareConstantOfShape(const KernelQuery& query) {
  const TensorType& output = *query.outputs.at(0);
  auto state = std::make_unique<ConstantState>();
  state->size = SizeOf(output.dtype);
  state->count = output.shape.ElementCount();
  if (const Tensor* value = query.attributes->TensorOrNull("value")) {
    if (value->ElementCount() != 1) {
      throw Error(ErrorKind::kModel,
                  fmt::format("ConstantOfShape: expected a value of one element, got {}",
                              value->type().ToString()));
    }
    const Tensor converted = Convert(*value, output.dtype);
    std::memcpy(state->element, converted.data(), state->size);
  }
  return state;
}

void RunConstantOfShape(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const ConstantState*>(args.state);
  auto* target = static_cast<std::byte*>(args.outputs[0]);
  for (std::int64_t i = 0; i < state.count; ++i) {
    std::memcpy(target + static_cast<std::size_t>(i) * state.size, state.element, state.size);
  }
}

struct RangeState final : KernelState {
  DType dtype = DType::kInt64;
  std::int64_t count = 0;
  // Constant start and delta; empty: read at run time.
  std::optional<Tensor> start;
  std::optional<Tensor> delta;
};

std::unique_ptr<KernelState> PrepareRange(const KernelQuery& query) {
  auto state = std::make_unique<RangeState>();
  state->dtype = query.outputs.at(0)->dtype;
  state->count = query.outputs.at(0)->shape.ElementCount();
  for (std::size_t i = 0; i < 3; ++i) {
    const TensorType* operand = query.Input(i);
    if (operand == nullptr || operand->dtype != state->dtype ||
        operand->shape.ElementCount() != 1) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("Range: expected operand {} to be one element of {}, got {}", i,
                      NameOf(state->dtype), operand == nullptr ? "nothing" : operand->ToString()));
    }
  }
  if (const Tensor* start = query.Constant(0)) {
    state->start = *start;
  }
  if (const Tensor* delta = query.Constant(2)) {
    state->delta = *delta;
  }
  return state;
}

// output[i] = start + i * delta. Integers are exact (and wrap); floats are computed in double and
// rounded once: |output - exact| <= u |exact| + 2^-52 (|start| + i |delta|), u the unit roundoff of
// the dtype. Checked by FillTest.RangeOfFloatsIsRoundedOnce.
void RunRange(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const RangeState*>(args.state);
  const void* start = state.start ? state.start->data() : args.inputs[0];
  const void* delta = state.delta ? state.delta->data() : args.inputs[2];
  if (IsFloating(state.dtype)) {
    const double from = DoubleAt(state.dtype, start, 0);
    const double step = DoubleAt(state.dtype, delta, 0);
    for (std::int64_t i = 0; i < state.count; ++i) {
      StoreDouble(state.dtype, args.outputs[0], i, from + static_cast<double>(i) * step);
    }
    return;
  }
  auto value = static_cast<std::uint64_t>(IntegerAt(state.dtype, start, 0));
  const auto step = static_cast<std::uint64_t>(IntegerAt(state.dtype, delta, 0));
  auto* target = static_cast<std::byte*>(args.outputs[0]);
  const std::size_t size = SizeOf(state.dtype);
  for (std::int64_t i = 0; i < state.count; ++i, value += step) {
    // The low bytes of a two's complement number are the number in the narrower type.
    std::memcpy(target + static_cast<std::size_t>(i) * size, &value, size);
  }
}

constexpr KernelEntry Entry(std::string_view name, OpKind op,
                            std::unique_ptr<KernelState> (*prepare)(const KernelQuery&),
                            void (*run)(const KernelArgs&) noexcept) {
  return {name, op, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr, prepare, nullptr, run, true};
}

constexpr Component kFill{.name = "fill"};

constexpr KernelEntry kRows[] = {
    Entry("constant_of_shape.any.portable", OpKind::kConstantOfShape, PrepareConstantOfShape,
          RunConstantOfShape),
    Entry("range.any.portable", OpKind::kRange, PrepareRange, RunRange),
    Entry("shape.any.portable", OpKind::kShape, PrepareShape, RunValue),
    Entry("size.any.portable", OpKind::kSize, PrepareSize, RunValue),
};

constexpr auto kEntries = MadeOf({&kFill}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> FillKernels() {
  return kEntries;
}

}  // namespace halftone
