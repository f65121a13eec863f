#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/streamed_store.h"
#include "kernels/table_rows.h"
#include "kernels/unary/fp16_loops.h"
#include "kernels/unary/unary.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrainOfCheapest = 250'000;  // 0.1 ns an element (vector_loops.cc)

struct VectorState : KernelState {
  UnaryLoopChoice choice;
  UnaryParams params;
  RunTimeBounds bounds;
  std::int64_t count = 0;
  std::int64_t element_bytes = 0;
  bool is_streamed = false;
};

std::unique_ptr<KernelState> StateOf(const KernelQuery& query, const UnaryLoopChoice& choice) {
  Check(choice.loop != nullptr,
        "a unary kernel has no row in kernels/unary/vector_loops.cc or fp16_loops.cc");
  auto state = std::make_unique<VectorState>();
  const TensorType& x = *query.Input(0);
  state->choice = choice;
  state->params = UnaryParamsOf(query);
  state->bounds = RunTimeBoundsOf(query);
  state->count = x.shape.ElementCount();
  state->element_bytes = static_cast<std::int64_t>(SizeOf(x.dtype));
  state->is_streamed = choice.grain >= kGrainOfCheapest && IsStreamed(x.dtype, state->count);
  return state;
}

template <ImplMode kMode>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  return StateOf(query, FindUnaryLoop({query.op, kMode, IsTanhForm(query)}, query.Input(0)->dtype));
}

std::unique_ptr<KernelState> PrepareFloat16(const KernelQuery& query) {
  return StateOf(query, {FindFloat16UnaryLoop(query.op), kGrainOfCheapest});
}

UnaryParams ParamsOf(const VectorState& s, std::span<const void* const> inputs) {
  UnaryParams params = s.params;
  if (s.bounds.has_min) {
    params.a = static_cast<float>(DoubleAt(s.bounds.dtype, inputs[1], 0));
  }
  if (s.bounds.has_max) {
    params.b = static_cast<float>(DoubleAt(s.bounds.dtype, inputs[2], 0));
  }
  return params;
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const VectorState&>(*args.state);
  const UnaryParams params = ParamsOf(s, args.inputs);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  ParallelFor(s.count, s.choice.grain, [&](std::int64_t begin, std::int64_t end) {
    if (s.is_streamed) {
      MakeStreamed(y, begin, end, [&](std::int64_t first, std::int64_t last, std::byte* part) {
        s.choice.loop(x + first * s.element_bytes, part, last - first, params);
      });
    } else {
      s.choice.loop(x + begin * s.element_bytes, y + begin * s.element_bytes, end - begin, params);
    }
  });
}

void RunRange(const RangeArgs& args) noexcept {
  const auto& s = static_cast<const VectorState&>(*args.state);
  s.choice.loop(args.inputs[0], args.output, args.end - args.begin, ParamsOf(s, args.inputs));
}

// Operators that call no transcendental function of kernels/vector_math-inl.h.
constexpr OpKind kPlainOps[] = {
    OpKind::kAbs,         OpKind::kCeil,      OpKind::kClip,      OpKind::kFloor,
    OpKind::kHardSigmoid, OpKind::kHardSwish, OpKind::kLeakyRelu, OpKind::kNeg,
    OpKind::kReciprocal,  OpKind::kRelu,      OpKind::kRound,     OpKind::kShrink,
    OpKind::kSign,        OpKind::kSoftsign,  OpKind::kSqrt,      OpKind::kThresholdedRelu};

constexpr ComponentList ComponentsOf(OpKind op) {
  ComponentList components = {&kStreamedStores};
  if (std::ranges::find(kPlainOps, op) == std::end(kPlainOps)) {
    components.Add(kVectorMath);
  }
  return components;
}

constexpr KernelEntry Vector(std::string_view name, OpKind op) {
  return KernelEntry{name,
                     op,
                     kTunableDTypes,
                     ImplMode::kDefault,
                     kIsaAny,
                     nullptr,
                     Prepare<ImplMode::kDefault>,
                     nullptr,
                     Run}
      .With(RunRange)
      .MadeOf(ComponentsOf(op));
}

constexpr KernelEntry Precise(std::string_view name, OpKind op, DTypeSet dtypes = kTunableDTypes) {
  constexpr ImplMode kMode = ImplMode::kHighPrecision;
  return KernelEntry{name, op, dtypes, kMode, kIsaAny, nullptr, Prepare<kMode>, nullptr, Run}
      .With(RunRange)
      .MadeOf(ComponentsOf(op));
}

constexpr KernelEntry Fast(std::string_view name, OpKind op, DTypeSet dtypes = kTunableDTypes,
                           IsaMask isa = kIsaAny) {
  constexpr ImplMode kMode = ImplMode::kHighPerformance;
  return KernelEntry{name, op, dtypes, kMode, isa, nullptr, Prepare<kMode>, nullptr, Run}
      .With(RunRange)
      .MadeOf(ComponentsOf(op));
}

constexpr KernelEntry InFloat16(std::string_view name, OpKind op,
                                ImplMode mode = ImplMode::kDefault) {
  return KernelEntry{name,
                     op,
                     DTypeSet(DType::kFloat16),
                     mode,
                     kIsaAvx512 | kIsaAvx512Fp16,
                     nullptr,
                     PrepareFloat16,
                     nullptr,
                     Run}
      .With(RunRange)
      .MadeOf(ComponentsOf(op));
}

constexpr KernelEntry Reference(std::string_view name, OpKind op, DTypeSet dtypes = kAllDTypes) {
  return {name,
          op,
          dtypes,
          ImplMode::kDefault,
          kIsaAny,
          nullptr,
          PrepareUnaryReference,
          nullptr,
          RunUnaryReference,
          true};
}

constexpr Component kUnary{.name = "unary"};
constexpr Component kUnaryBits{.name = "unary.bits"};
constexpr Component kNeg{"unary.neg", 2, "16-bit types without conversion"};
constexpr Component kShrink{"unary.shrink", 2, "below -lambd first, also where lambd is negative"};

constexpr KernelEntry kRows[] = {
    Vector("unary.abs.vector", OpKind::kAbs).MadeOf({&kUnaryBits}),
    Vector("unary.acos.vector", OpKind::kAcos),
    Vector("unary.acosh.vector", OpKind::kAcosh),
    Vector("unary.asin.vector", OpKind::kAsin),
    Vector("unary.asinh.vector", OpKind::kAsinh),
    Vector("unary.atan.vector", OpKind::kAtan),
    Vector("unary.atanh.vector", OpKind::kAtanh),
    InFloat16("unary.ceil.avx512_fp16", OpKind::kCeil),
    Vector("unary.ceil.vector", OpKind::kCeil),
    Vector("unary.celu.vector", OpKind::kCelu),
    InFloat16("unary.clip.avx512_fp16", OpKind::kClip),
    Vector("unary.clip.vector", OpKind::kClip),
    Vector("unary.cos.vector", OpKind::kCos),
    Vector("unary.cosh.vector", OpKind::kCosh),
    Vector("unary.elu.vector", OpKind::kElu),
    Precise("unary.erf.precise", OpKind::kErf),
    Fast("unary.erf.fast", OpKind::kErf),
    Precise("unary.exp.precise", OpKind::kExp),
    Fast("unary.exp.fast", OpKind::kExp),
    InFloat16("unary.floor.avx512_fp16", OpKind::kFloor),
    Vector("unary.floor.vector", OpKind::kFloor),
    Precise("unary.gelu.precise", OpKind::kGelu),
    Fast("unary.gelu.fast", OpKind::kGelu),
    Vector("unary.hard_sigmoid.vector", OpKind::kHardSigmoid),
    Vector("unary.hard_swish.vector", OpKind::kHardSwish),
    Vector("unary.leaky_relu.vector", OpKind::kLeakyRelu),
    Vector("unary.log.vector", OpKind::kLog),
    Vector("unary.mish.vector", OpKind::kMish),
    Vector("unary.neg.vector", OpKind::kNeg).MadeOf({&kUnaryBits, &kNeg}),
    InFloat16("unary.reciprocal.precise.avx512_fp16", OpKind::kReciprocal,
              ImplMode::kHighPrecision),
    Precise("unary.reciprocal.precise", OpKind::kReciprocal),
    Fast("unary.reciprocal.fast.avx512", OpKind::kReciprocal, kTunableDTypes, kIsaAvx512),
    Vector("unary.relu.vector", OpKind::kRelu).MadeOf({&kUnaryBits}),
    InFloat16("unary.round.avx512_fp16", OpKind::kRound),
    Vector("unary.round.vector", OpKind::kRound),
    Vector("unary.selu.vector", OpKind::kSelu),
    Vector("unary.shrink.vector", OpKind::kShrink).MadeOf({&kShrink}),
    Precise("unary.sigmoid.precise", OpKind::kSigmoid),
    Fast("unary.sigmoid.fast", OpKind::kSigmoid),
    Vector("unary.sign.vector", OpKind::kSign),
    Vector("unary.sin.vector", OpKind::kSin),
    Vector("unary.sinh.vector", OpKind::kSinh),
    Vector("unary.softplus.vector", OpKind::kSoftplus),
    Vector("unary.softsign.vector", OpKind::kSoftsign),
    InFloat16("unary.sqrt.avx512_fp16", OpKind::kSqrt),
    Vector("unary.sqrt.vector", OpKind::kSqrt),
    Precise("unary.swish.precise", OpKind::kSwish),
    Fast("unary.swish.fast", OpKind::kSwish),
    Vector("unary.tan.vector", OpKind::kTan),
    Precise("unary.tanh.precise", OpKind::kTanh),
    Fast("unary.tanh.fast", OpKind::kTanh),
    Vector("unary.thresholded_relu.vector", OpKind::kThresholdedRelu),

    Reference("unary.abs.reference", OpKind::kAbs),
    Reference("unary.acos.reference", OpKind::kAcos),
    Reference("unary.acosh.reference", OpKind::kAcosh),
    Reference("unary.asin.reference", OpKind::kAsin),
    Reference("unary.asinh.reference", OpKind::kAsinh),
    Reference("unary.atan.reference", OpKind::kAtan),
    Reference("unary.atanh.reference", OpKind::kAtanh),
    Reference("unary.bitwise_not.reference", OpKind::kBitwiseNot, kIntegerDTypes),
    Reference("unary.ceil.reference", OpKind::kCeil),
    Reference("unary.celu.reference", OpKind::kCelu),
    Reference("unary.clip.reference", OpKind::kClip),
    Reference("unary.cos.reference", OpKind::kCos),
    Reference("unary.cosh.reference", OpKind::kCosh),
    Reference("unary.elu.reference", OpKind::kElu),
    Reference("unary.erf.reference", OpKind::kErf),
    Reference("unary.exp.reference", OpKind::kExp),
    Reference("unary.floor.reference", OpKind::kFloor),
    Reference("unary.gelu.reference", OpKind::kGelu),
    Reference("unary.hard_sigmoid.reference", OpKind::kHardSigmoid),
    Reference("unary.hard_swish.reference", OpKind::kHardSwish),
    Reference("unary.leaky_relu.reference", OpKind::kLeakyRelu),
    Reference("unary.log.reference", OpKind::kLog),
    Reference("unary.mish.reference", OpKind::kMish),
    Reference("unary.neg.reference", OpKind::kNeg),
    Reference("unary.not.reference", OpKind::kNot),
    Reference("unary.reciprocal.reference", OpKind::kReciprocal),
    Reference("unary.relu.reference", OpKind::kRelu),
    Reference("unary.round.reference", OpKind::kRound),
    Reference("unary.selu.reference", OpKind::kSelu),
    Reference("unary.shrink.reference", OpKind::kShrink),
    Reference("unary.sigmoid.reference", OpKind::kSigmoid),
    Reference("unary.sign.reference", OpKind::kSign),
    Reference("unary.sin.reference", OpKind::kSin),
    Reference("unary.sinh.reference", OpKind::kSinh),
    Reference("unary.softplus.reference", OpKind::kSoftplus),
    Reference("unary.softsign.reference", OpKind::kSoftsign),
    Reference("unary.sqrt.reference", OpKind::kSqrt),
    Reference("unary.swish.reference", OpKind::kSwish),
    Reference("unary.tan.reference", OpKind::kTan),
    Reference("unary.tanh.reference", OpKind::kTanh),
    Reference("unary.thresholded_relu.reference", OpKind::kThresholdedRelu),
};

constexpr auto kEntries = MadeOf({&kUnary}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> UnaryKernels() {
  return kEntries;
}

}  // namespace halftone
