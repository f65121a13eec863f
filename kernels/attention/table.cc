#include "kernels/attention/attention.h"

namespace halftone {
namespace {

constexpr DTypeSet kFloating = kTunableDTypes | DTypeSet(DType::kFloat64);
constexpr ImplMode kAnyMode = ImplMode::kDefault;

std::string_view RefuseOtherResults(const KernelQuery& query) {
  return query.outputs.at(0)->dtype == query.inputs.at(0)->dtype
             ? ""
             : "the result has another dtype than the operands";
}

// The plan of the products asks for weights in bfloat16, which a network's own Attention does not.
std::string_view RefuseOwn(const KernelQuery& query) {
  const std::string_view other = RefuseOtherResults(query);
  return !other.empty()                          ? other
         : query.attributes->Has(kAttentionFill) ? ""
                                                 : "rounds the weights to bfloat16, which only "
                                                   "products that were nodes of their own ask "
                                                   "for";
}

template <TileFormat format, ImplMode mode>
constexpr KernelEntry Packed(std::string_view name, DType dtype,
                             std::string_view (*refusal)(const KernelQuery&) = RefuseOtherResults) {
  return {.name = name,
          .op = OpKind::kAttention,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = refusal,
          .prepare = PreparePackedAttention<format, mode>,
          .scratch_bytes = PackedAttentionScratch,
          .run = RunPackedAttention};
}

constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

// What runs when nothing is said is the first mode of a dtype: where it can, what Softmax and the
// matrix products run then.
constexpr KernelEntry kTable[] = {
    Packed<TileFormat::kFloat, kFast>("attention.f32.fast", DType::kFloat32),
    Packed<TileFormat::kFloat, kExact>("attention.f32.precise", DType::kFloat32),
    Packed<TileFormat::kFloat16, kExact>("attention.f16.precise", DType::kFloat16),
    Packed<TileFormat::kPairs, kFast>("attention.f16.avx512_bf16.fast", DType::kFloat16),
    Packed<TileFormat::kPairs, kFast>("attention.bf16.avx512_bf16.fast", DType::kBFloat16),
    Packed<TileFormat::kBFloat16, kFast>("attention.bf16.fast", DType::kBFloat16),
    Packed<TileFormat::kPairs, kExact>("attention.bf16.avx512_bf16.precise", DType::kBFloat16,
                                       RefuseOwn),
    Packed<TileFormat::kBFloat16, kExact>("attention.bf16.precise", DType::kBFloat16),
    {"rotary_embedding.vector", OpKind::kRotaryEmbedding, kTunableDTypes, kAnyMode, kIsaAny,
     nullptr, PrepareRotary, nullptr, RunRotary},
    {"attention.reference", OpKind::kAttention, kFloating, kAnyMode, kIsaAny, nullptr,
     PrepareAttentionReference, AttentionReferenceScratch, RunAttentionReference, true},
    {"rotary_embedding.reference", OpKind::kRotaryEmbedding, kFloating, kAnyMode, kIsaAny, nullptr,
     PrepareRotary, nullptr, RunRotaryReference, true},
};

}  // namespace

std::span<const KernelEntry> AttentionKernels() {
  return kTable;
}

}  // namespace halftone
