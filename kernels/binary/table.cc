#include <optional>

#include "kernels/binary/binary.h"
#include "kernels/binary/broadcast.h"
#include "kernels/binary/fp16_loops.h"
#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/streamed_store.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

struct LoopState : KernelState {
  BinaryLoop loop = nullptr;
  BroadcastPlan plan;
  std::int64_t input_bytes = 0;
  std::int64_t output_bytes = 0;
  std::int64_t grain = 0;
  bool is_streamed = false;
  bool is_whole[2] = {};           // by operand: it has as many elements as the result
  std::optional<Tensor> exponent;  // instead of the second operand, in the dtype of the first
};

std::unique_ptr<LoopState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<LoopState>();
  state->plan =
      PlanBroadcast(query.outputs[0]->shape, {&query.Input(0)->shape, &query.Input(1)->shape});
  state->input_bytes = static_cast<std::int64_t>(SizeOf(query.Input(0)->dtype));
  state->output_bytes = static_cast<std::int64_t>(SizeOf(query.outputs[0]->dtype));
  for (const std::size_t i : {0, 1}) {
    state->is_whole[i] = query.Input(i)->shape.ElementCount() == state->plan.count;
  }
  return state;
}

// Elements that take 25 us: 0.1 ns each in the cache, remainders 1 ns.
constexpr std::int64_t kGrain = 1 << 18;
constexpr std::int64_t kGrainOfRemainders = 1 << 15;

std::unique_ptr<LoopState> VectorStateOf(const KernelQuery& query, std::int64_t grain) {
  auto state = StateOf(query);
  state->loop = FindVectorBinaryLoop(query.op, query.Input(0)->dtype);
  state->grain = grain;
  state->is_streamed = IsStreamed(query.outputs[0]->dtype, state->plan.count);
  Check(state->loop != nullptr, "a binary kernel has no row in kernels/binary/vector_loops.cc");
  return state;
}

template <std::int64_t kGrainElements>
std::unique_ptr<KernelState> PrepareVector(const KernelQuery& query) {
  return VectorStateOf(query, kGrainElements);
}

std::unique_ptr<KernelState> PrepareFloat16(const KernelQuery& query) {
  auto state = StateOf(query);
  state->loop = FindFloat16Loop(query.op);
  state->grain = kGrain;
  state->is_streamed = IsStreamed(DType::kFloat16, state->plan.count);
  Check(state->loop != nullptr, "a binary kernel has no row in kernels/binary/fp16_loops.cc");
  return state;
}

// The exponent is 2 or 3 in any dtype (int64 in many files): the loop reads the dtype of the base.
std::unique_ptr<KernelState> PrepareProduct(const KernelQuery& query) {
  auto state = VectorStateOf(query, kGrain);
  state->exponent = Convert(*query.Constant(1), query.Input(0)->dtype);
  return state;
}

std::unique_ptr<KernelState> PreparePower(const KernelQuery& query) {
  auto state = StateOf(query);
  state->loop = FindPowerLoop(query.Input(0)->dtype);
  state->grain = 1 << 13;  // 2 to 4 ns an element: 25 us
  Check(state->loop != nullptr, "kernels/binary/power_loops.cc has no loop for this CPU");
  return state;
}

std::unique_ptr<KernelState> PrepareScalar(const KernelQuery& query) {
  auto state = StateOf(query);
  state->loop = FindScalarBinaryLoop(query.op, query.Input(0)->dtype, BinaryFormOf(query));
  state->grain = 1 << 15;  // about 1 ns an element
  Check(state->loop != nullptr, "a binary kernel has no case in kernels/binary/scalar_loops.cc");
  return state;
}

// Elements [begin, end) of the result; `y` is where it begins, and with `from` the elements that
// `operands` begin with.
void RunLoop(const LoopState& s, std::span<const void* const> operands, std::byte* y,
             std::int64_t begin, std::int64_t end, const BroadcastPlan::Strides& from) {
  const auto* a = static_cast<const std::byte*>(operands[0]);
  const auto* b = s.exponent ? s.exponent->data() : static_cast<const std::byte*>(operands[1]);
  const BroadcastPlan::Strides step = s.plan.inner_stride();
  ForEachRun(s.plan, begin, end,
             [&](std::int64_t position, const BroadcastPlan::Strides& at, std::int64_t count) {
               s.loop({a + (at[0] - from[0]) * s.input_bytes, b + (at[1] - from[1]) * s.input_bytes,
                       y + (position - begin) * s.output_bytes, count, step[0], step[1]});
             });
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const LoopState&>(*args.state);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  ParallelFor(s.plan.count, s.grain, [&](std::int64_t begin, std::int64_t end) {
    if (s.is_streamed) {
      MakeStreamed(y, begin, end, [&](std::int64_t first, std::int64_t last, std::byte* part) {
        RunLoop(s, args.inputs, part, first, last, {});
      });
    } else {
      RunLoop(s, args.inputs, y + begin * s.output_bytes, begin, end, {});
    }
  });
}

void RunRange(const RangeArgs& args) noexcept {
  const auto& s = static_cast<const LoopState&>(*args.state);
  RunLoop(s, args.inputs, static_cast<std::byte*>(args.output), args.begin, args.end,
          {s.is_whole[0] ? args.begin : 0, s.is_whole[1] ? args.begin : 0});
}

std::string_view RefuseMixedTypes(const KernelQuery& query) {
  return query.Input(0)->dtype == query.Input(1)->dtype ? "" : "the operands have different dtypes";
}

std::string_view RefuseUnlessSmallPower(const KernelQuery& query) {
  constexpr std::string_view kReason = "the exponent is neither the constant 2 nor 3";
  const Tensor* exponent = query.Constant(1);
  if (exponent == nullptr || exponent->ElementCount() != 1) {
    return kReason;
  }
  const double value = DoubleAt(exponent->dtype(), exponent->data(), 0);
  return value == 2 || value == 3 ? "" : kReason;
}

template <std::int64_t kGrainElements = kGrain>
constexpr KernelEntry Vector(std::string_view name, OpKind op) {
  return KernelEntry{name,
                     op,
                     kTunableDTypes,
                     ImplMode::kDefault,
                     kIsaAny,
                     RefuseMixedTypes,
                     PrepareVector<kGrainElements>,
                     nullptr,
                     Run}
      .With(RunRange)
      .MadeOf({&kStreamedStores});
}

constexpr KernelEntry Float16Vector(std::string_view name, OpKind op) {
  return KernelEntry{name,
                     op,
                     DTypeSet(DType::kFloat16),
                     ImplMode::kDefault,
                     kIsaAvx512 | kIsaAvx512Fp16,
                     RefuseMixedTypes,
                     PrepareFloat16,
                     nullptr,
                     Run}
      .With(RunRange)
      .MadeOf({&kStreamedStores});
}

constexpr KernelEntry Loop(std::string_view name, OpKind op, DTypeSet dtypes) {
  return KernelEntry{name,          op,      dtypes, ImplMode::kDefault, kIsaAny, RefuseMixedTypes,
                     PrepareScalar, nullptr, Run}
      .With(RunRange);
}

constexpr KernelEntry Reference(std::string_view name, OpKind op, DTypeSet dtypes = kAllDTypes) {
  return {name,
          op,
          dtypes,
          ImplMode::kDefault,
          kIsaAny,
          nullptr,
          PrepareBinaryReference,
          nullptr,
          RunBinaryReference,
          true};
}

constexpr DTypeSet kNumbers = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);
constexpr DTypeSet kBools(DType::kBool);
constexpr DTypeSet kUnsigned = DTypeSet(DType::kUInt8) | DTypeSet(DType::kUInt16) |
                               DTypeSet(DType::kUInt32) | DTypeSet(DType::kUInt64);

constexpr Component kBinary{.name = "binary"};
constexpr Component kPower{"binary.power", 2, "exponents of another dtype"};
constexpr Component kRemainder{"binary.remainder", 2, "no floating types but float64"};
constexpr Component kWhere{"binary.where", 2, "both branches read, in vectors"};

constexpr KernelEntry kRows[] = {
    Float16Vector("binary.add.avx512_fp16", OpKind::kAdd),
    Float16Vector("binary.sub.avx512_fp16", OpKind::kSub),
    Float16Vector("binary.mul.avx512_fp16", OpKind::kMul),
    Float16Vector("binary.div.avx512_fp16", OpKind::kDiv),
    Float16Vector("binary.max.avx512_fp16", OpKind::kMax),
    Float16Vector("binary.min.avx512_fp16", OpKind::kMin),
    Float16Vector("binary.prelu.avx512_fp16", OpKind::kPRelu),
    Vector("binary.add.vector", OpKind::kAdd),
    Vector("binary.sub.vector", OpKind::kSub),
    Vector("binary.mul.vector", OpKind::kMul),
    Vector("binary.div.vector", OpKind::kDiv),
    Vector("binary.max.vector", OpKind::kMax),
    Vector("binary.min.vector", OpKind::kMin),
    Vector("binary.prelu.vector", OpKind::kPRelu),
    KernelEntry{"binary.pow.product", OpKind::kPow, kTunableDTypes, ImplMode::kDefault, kIsaAny,
                RefuseUnlessSmallPower, PrepareProduct, nullptr, Run}
        .With(RunRange)
        .MadeOf({&kPower}),
    Loop("binary.add.integer", OpKind::kAdd, kIntegerDTypes),
    Loop("binary.sub.integer", OpKind::kSub, kIntegerDTypes),
    Loop("binary.mul.integer", OpKind::kMul, kIntegerDTypes),
    Loop("binary.div.integer", OpKind::kDiv, kIntegerDTypes),
    Loop("binary.max.integer", OpKind::kMax, kIntegerDTypes),
    Loop("binary.min.integer", OpKind::kMin, kIntegerDTypes),
    Loop("binary.prelu.integer", OpKind::kPRelu, kIntegerDTypes),
    KernelEntry{"binary.pow.avx2", OpKind::kPow, kTunableDTypes, ImplMode::kDefault, kIsaAvx2,
                RefuseMixedTypes, PreparePower, nullptr, Run}
        .With(RunRange),
    Loop("binary.pow.loop", OpKind::kPow, kNumbers),
    Vector<kGrainOfRemainders>("binary.mod.vector", OpKind::kMod),
    Loop("binary.mod.loop", OpKind::kMod, kIntegerDTypes | DTypeSet(DType::kFloat64))
        .MadeOf({&kRemainder}),
    Loop("binary.and.loop", OpKind::kAnd, kBools),
    Loop("binary.or.loop", OpKind::kOr, kBools),
    Loop("binary.xor.loop", OpKind::kXor, kBools),
    Loop("binary.bit_shift.loop", OpKind::kBitShift, kUnsigned),
    Loop("binary.bitwise_and.loop", OpKind::kBitwiseAnd, kIntegerDTypes),
    Loop("binary.bitwise_or.loop", OpKind::kBitwiseOr, kIntegerDTypes),
    Loop("binary.bitwise_xor.loop", OpKind::kBitwiseXor, kIntegerDTypes),
    Loop("binary.equal.loop", OpKind::kEqual, kAllDTypes),
    Loop("binary.greater.loop", OpKind::kGreater, kNumbers),
    Loop("binary.greater_or_equal.loop", OpKind::kGreaterOrEqual, kNumbers),
    Loop("binary.less.loop", OpKind::kLess, kNumbers),
    Loop("binary.less_or_equal.loop", OpKind::kLessOrEqual, kNumbers),
    KernelEntry{"binary.where.copy", OpKind::kWhere, kAllDTypes, ImplMode::kDefault, kIsaAny,
                nullptr, PrepareWhere, nullptr, RunWhere}
        .MadeOf({&kWhere}),

    Reference("binary.add.reference", OpKind::kAdd),
    Reference("binary.sub.reference", OpKind::kSub),
    Reference("binary.mul.reference", OpKind::kMul),
    Reference("binary.div.reference", OpKind::kDiv),
    Reference("binary.max.reference", OpKind::kMax),
    Reference("binary.min.reference", OpKind::kMin),
    Reference("binary.prelu.reference", OpKind::kPRelu),
    Reference("binary.pow.reference", OpKind::kPow),
    Reference("binary.mod.reference", OpKind::kMod),
    Reference("binary.and.reference", OpKind::kAnd, kBools),
    Reference("binary.or.reference", OpKind::kOr, kBools),
    Reference("binary.xor.reference", OpKind::kXor, kBools),
    Reference("binary.bit_shift.reference", OpKind::kBitShift, kUnsigned),
    Reference("binary.bitwise_and.reference", OpKind::kBitwiseAnd, kIntegerDTypes),
    Reference("binary.bitwise_or.reference", OpKind::kBitwiseOr, kIntegerDTypes),
    Reference("binary.bitwise_xor.reference", OpKind::kBitwiseXor, kIntegerDTypes),
    Reference("binary.equal.reference", OpKind::kEqual),
    Reference("binary.greater.reference", OpKind::kGreater),
    Reference("binary.greater_or_equal.reference", OpKind::kGreaterOrEqual),
    Reference("binary.less.reference", OpKind::kLess),
    Reference("binary.less_or_equal.reference", OpKind::kLessOrEqual),
    Reference("binary.where.reference", OpKind::kWhere),
};

constexpr auto kEntries = MadeOf({&kBinary}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> BinaryKernels() {
  return kEntries;
}

}  // namespace halftone
