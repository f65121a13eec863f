#include <algorithm>

#include "kernels/normalization/fp16_rows.h"
#include "kernels/normalization/normalization.h"
#include "kernels/parallel.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

constexpr std::int64_t kGrainElements = 100'000;  // 0.25 ns an element: 25 us

struct RowState : KernelState {
  NormalizeRow normalize = nullptr;
  std::int64_t rows = 1;
  std::int64_t length = 1;
  std::int64_t channels = 1;
  std::int64_t row_bytes = 0;
  float epsilon = 1e-5F;
};

void SetGeometry(RowState& state, const KernelQuery& query, int axis) {
  const TensorType& x = *query.Input(0);
  state.rows = x.shape.ElementCount(0, axis);
  state.length = x.shape.ElementCount(axis, x.shape.rank());
  state.row_bytes = state.length * static_cast<std::int64_t>(SizeOf(x.dtype));
  state.epsilon = query.attributes->Float("epsilon", 1e-5F);
}

// Calls body(row) for all rows, in parallel if there is enough work.
template <typename Body>
void ForEachRow(const RowState& s, const Body& body) noexcept {
  const std::int64_t grain =
      std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, s.length));
  ParallelFor(s.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      body(row);
    }
  });
}

const std::byte* InputRow(const KernelArgs& args, std::int64_t offset) {
  return static_cast<const std::byte*>(args.inputs[0]) + offset;
}

std::byte* OutputRow(const KernelArgs& args, std::int64_t offset) {
  return static_cast<std::byte*>(args.outputs[0]) + offset;
}

// LayerNormalization and RMSNormalization, which has no bias.
std::unique_ptr<KernelState> LayerState(const KernelQuery& query, NormalizeRow normalize) {
  auto state = std::make_unique<RowState>();
  const int rank = query.Input(0)->shape.rank();
  SetGeometry(*state, query, NormalizeAxis(query.attributes->Int("axis", -1), rank));
  state->normalize = normalize;
  return state;
}

template <ImplMode kMode>
std::unique_ptr<KernelState> PrepareLayer(const KernelQuery& query) {
  const DType dtype = query.Input(0)->dtype;
  return LayerState(query, query.op == OpKind::kRmsNormalization ? FindRmsRow(dtype, kMode)
                                                                 : FindNormalizeRow(dtype, kMode));
}

// The float16 form of a row, or the other where that does not serve.
void NormalizeInFloat16(const NormalizedRow& row) {
  if (!NormalizeFloat16Row(row)) {
    FindNormalizeRow(DType::kFloat16, ImplMode::kHighPerformance)(row);
  }
}

void RmsNormalizeInFloat16(const NormalizedRow& row) {
  if (!RmsNormalizeFloat16Row(row)) {
    FindRmsRow(DType::kFloat16, ImplMode::kHighPerformance)(row);
  }
}

std::unique_ptr<KernelState> PrepareFloat16Layer(const KernelQuery& query) {
  return LayerState(
      query, query.op == OpKind::kRmsNormalization ? RmsNormalizeInFloat16 : NormalizeInFloat16);
}

void RunLayer(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RowState&>(*args.state);
  const void* bias = args.inputs.size() > 2 ? args.inputs[2] : nullptr;
  ForEachRow(s, [&](std::int64_t row) {
    const std::int64_t offset = row * s.row_bytes;
    s.normalize({.x = InputRow(args, offset),
                 .y = OutputRow(args, offset),
                 .length = s.length,
                 .scale = args.inputs[1],
                 .bias = bias,
                 .epsilon = s.epsilon});
  });
}

// The operands of a whole row; the specification alone repeats shorter ones.
std::string_view RefuseOtherOperands(const KernelQuery& query) {
  if (query.outputs.size() > 1) {
    return "Mean or InvStdDev are asked for";
  }
  const TensorType& x = *query.Input(0);
  const int axis = NormalizeAxis(query.attributes->Int("axis", -1), x.shape.rank());
  const std::int64_t length = x.shape.ElementCount(axis, x.shape.rank());
  for (const std::size_t i : {1U, 2U}) {
    const TensorType* operand = query.Input(i);
    if (operand != nullptr &&
        (operand->dtype != x.dtype || operand->shape.ElementCount() != length)) {
      return "scale or bias have another dtype or are broadcast";
    }
  }
  return "";
}

std::unique_ptr<KernelState> PrepareInstance(const KernelQuery& query) {
  auto state = std::make_unique<RowState>();
  SetGeometry(*state, query, 2);
  state->channels = query.Input(0)->shape[1];
  state->normalize = FindNormalizeRow(query.Input(0)->dtype, ImplMode::kHighPrecision);
  return state;
}

void RunInstance(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const RowState&>(*args.state);
  const auto* scale = static_cast<const float*>(args.inputs[1]);
  const auto* bias = static_cast<const float*>(args.inputs[2]);
  ForEachRow(s, [&](std::int64_t row) {
    const std::int64_t offset = row * s.row_bytes;
    s.normalize({.x = InputRow(args, offset),
                 .y = OutputRow(args, offset),
                 .length = s.length,
                 .scale_value = scale[row % s.channels],
                 .bias_value = bias[row % s.channels],
                 .epsilon = s.epsilon});
  });
}

std::string_view RefuseOtherThanFloat32(const KernelQuery& query) {
  for (std::size_t i = 1; i < query.inputs.size(); ++i) {
    if (query.Input(i) != nullptr && query.Input(i)->dtype != DType::kFloat32) {
      return "scale, bias, mean and variance must be float32";
    }
  }
  return "";
}

constexpr ImplMode kAnyMode = ImplMode::kDefault;
constexpr ImplMode kPrecise = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr OpKind kLayer = OpKind::kLayerNormalization;
constexpr OpKind kRms = OpKind::kRmsNormalization;
constexpr OpKind kInstance = OpKind::kInstanceNormalization;
constexpr OpKind kBatch = OpKind::kBatchNormalization;
constexpr DTypeSet kFloating = kTunableDTypes | DTypeSet(DType::kFloat64);

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {name,
          op,
          kFloating,
          kAnyMode,
          kIsaAny,
          nullptr,
          PrepareNormalizationReference,
          nullptr,
          RunNormalizationReference,
          true};
}

constexpr KernelEntry InFloat16(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = DTypeSet(DType::kFloat16),
          .impl_mode = kFast,
          .isa = kIsaAvx512 | kIsaAvx512Fp16,
          .refusal = RefuseOtherOperands,
          .prepare = PrepareFloat16Layer,
          .scratch_bytes = nullptr,
          .run = RunLayer,
          .float16_arithmetic = true};
}

constexpr Component kNormalization{.name = "normalization"};

constexpr KernelEntry kRows[] = {
    {"normalization.layer.precise", kLayer, kTunableDTypes, kPrecise, kIsaAny, RefuseOtherOperands,
     PrepareLayer<kPrecise>, nullptr, RunLayer},
    InFloat16("normalization.layer.fast.avx512_fp16", kLayer),
    {"normalization.layer.fast", kLayer, kTunableDTypes, kFast, kIsaAny, RefuseOtherOperands,
     PrepareLayer<kFast>, nullptr, RunLayer},
    {"normalization.rms.precise", kRms, kTunableDTypes, kPrecise, kIsaAny, RefuseOtherOperands,
     PrepareLayer<kPrecise>, nullptr, RunLayer},
    InFloat16("normalization.rms.fast.avx512_fp16", kRms),
    {"normalization.rms.fast", kRms, kTunableDTypes, kFast, kIsaAny, RefuseOtherOperands,
     PrepareLayer<kFast>, nullptr, RunLayer},
    {"normalization.instance.vector", kInstance, kTunableDTypes, kAnyMode, kIsaAny,
     RefuseOtherThanFloat32, PrepareInstance, nullptr, RunInstance},
    KernelEntry{"normalization.batch.vector", kBatch, kTunableDTypes, kAnyMode, kIsaAny,
                RefuseOtherThanFloat32, PrepareBatch, BatchScratchBytes, RunBatch}
        .MadeOf({&kEpilogue, &kVectorMath}),
    KernelEntry{"normalization.group.vector", OpKind::kGroupNormalization, kTunableDTypes, kAnyMode,
                kIsaAny, nullptr, PrepareGroup, nullptr, RunGroup}
        .MadeOf({&kEpilogue, &kVectorMath}),
    {"normalization.lrn.vector", OpKind::kLrn, kTunableDTypes, kAnyMode, kIsaAny, VectorLrnRefusal,
     PrepareLrn, nullptr, RunVectorLrn},
    {"normalization.mean_variance.vector", OpKind::kMeanVarianceNormalization, kTunableDTypes,
     kAnyMode, kIsaAny, nullptr, PrepareMeanVariance, nullptr, RunMeanVariance},
    {"normalization.lp.vector", OpKind::kLpNormalization, kTunableDTypes, kAnyMode, kIsaAny,
     VectorLpRefusal, PrepareVectorLp, nullptr, RunVectorLp},
    Reference("normalization.layer.reference", kLayer),
    Reference("normalization.rms.reference", kRms),
    Reference("normalization.instance.reference", kInstance),
    {"normalization.batch.reference", kBatch, kFloating, kAnyMode, kIsaAny, nullptr, PrepareBatch,
     nullptr, RunBatchReference, true},
    {"normalization.group.reference", OpKind::kGroupNormalization, kFloating, kAnyMode, kIsaAny,
     nullptr, PrepareGroup, nullptr, RunGroupReference, true},
    {"normalization.mean_variance.reference", OpKind::kMeanVarianceNormalization, kFloating,
     kAnyMode, kIsaAny, nullptr, PrepareAxesNormalization, AxesNormalizationScratch,
     RunAxesNormalization, true},
    {"normalization.lp.reference", OpKind::kLpNormalization, kFloating, kAnyMode, kIsaAny, nullptr,
     PrepareAxesNormalization, AxesNormalizationScratch, RunAxesNormalization, true},
    {"normalization.lrn.reference", OpKind::kLrn, kFloating, kAnyMode, kIsaAny, nullptr, PrepareLrn,
     nullptr, RunLrn, true},
};

constexpr auto kEntries = MadeOf({&kNormalization}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> NormalizationKernels() {
  return kEntries;
}

}  // namespace halftone
