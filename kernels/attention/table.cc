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

constexpr KernelEntry kTable[] = {
    {"attention.packed.highway", OpKind::kAttention, kTunableDTypes, kAnyMode, kIsaAny,
     RefuseOtherResults, PreparePackedAttention, PackedAttentionScratch, RunPackedAttention},
    {"rotary_embedding.portable", OpKind::kRotaryEmbedding, kTunableDTypes, kAnyMode, kIsaAny,
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
