#include "kernels/attention/attention.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

constexpr DTypeSet kFloating = kTunableDTypes | DTypeSet(DType::kFloat64);
constexpr ImplMode kAnyMode = ImplMode::kDefault;

std::string_view RefuseOtherResults(const KernelQuery& query) {
  return query.outputs.at(0)->dtype == query.inputs.at(0)->dtype
             ? ""
             : "the result has another dtype than the operands";
}

// Refuses an Attention of the model: only for a fused one did the plan choose softmax weights in
// bfloat16.
std::string_view RefuseOwn(const KernelQuery& query) {
  const std::string_view other = RefuseOtherResults(query);
  return !other.empty() ? other
         : query.fusion->attention
             ? ""
             : "rounds the weights to bfloat16, which only products that were "
               "nodes of their own ask for";
}

constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

// "attention.f32.fast", "attention.bf16.avx512_bf16.precise": the mode of the softmax.
constexpr KernelName PackedName(const TileUse& use, ImplMode softmax) {
  KernelName name;
  name.Add("attention.").Add(ShortNameOf(use.dtype)).Add(".");
  if (use.kernel().name != "highway") {
    name.Add(use.kernel().name).Add(".");
  }
  return name.Add(softmax == kFast ? "fast" : "precise");
}

constexpr Component kPackedAttention{.name = "attention.packed"};
constexpr Component kAttentionLoops{.name = "attention.loops"};

template <std::size_t use, ImplMode softmax>
constexpr KernelName kPackedName = PackedName(kTileUses[use], softmax);

template <std::size_t use, ImplMode softmax>
constexpr KernelEntry Packed(std::string_view (*refusal)(const KernelQuery&)) {
  KernelEntry row = TileRow(kPackedName<use, softmax>, OpKind::kAttention, kTileUses[use]);
  row.impl_mode = softmax;
  row.refusal = refusal;
  row.prepare = PreparePackedAttention<kTileUses[use].tile, softmax>;
  row.scratch_bytes = PackedAttentionScratch;
  row.run = RunPackedAttention;
  row.components.Add({&kPackedAttention, &kVectorMath});
  return row;
}

// The softmax is of the mode of the products where these have modes, else of either.
constexpr bool HasBothModes(const TileUse& use) {
  return use.mode == ImplMode::kDefault;
}

constexpr auto kPacked = TileRows([]<std::size_t use>() {
  constexpr ImplMode kMode = HasBothModes(kTileUses[use]) ? kFast : kTileUses[use].mode;
  return Packed<use, kMode>(RefuseOtherResults);
});

template <std::size_t use>
constexpr auto PreciseTwin() {
  if constexpr (HasBothModes(kTileUses[use])) {
    return std::array{
        Packed<use, kExact>(kTileUses[use].kernel().pairs() ? RefuseOwn : RefuseOtherResults)};
  } else {
    return std::array<KernelEntry, 0>{};
  }
}

constexpr auto kPreciseTwins = []<std::size_t... use>(std::index_sequence<use...>) {
  return Joined(PreciseTwin<use>()...);
}
(std::make_index_sequence<kTileUseCount>());

constexpr KernelEntry kOtherRows[] = {
    {"rotary_embedding.vector", OpKind::kRotaryEmbedding, kTunableDTypes, kAnyMode, kIsaAny,
     nullptr, PrepareRotary, nullptr, RunRotary},
    {"attention.reference", OpKind::kAttention, kFloating, kAnyMode, kIsaAny, nullptr,
     PrepareAttentionReference, AttentionReferenceScratch, RunAttentionReference, true},
    {"rotary_embedding.reference", OpKind::kRotaryEmbedding, kFloating, kAnyMode, kIsaAny, nullptr,
     PrepareRotary, nullptr, RunRotaryReference, true},
};

constexpr auto kOthers = MadeOf({&kAttentionLoops}, std::to_array(kOtherRows));

// The first row of a dtype serves the default mode: where there is a choice, the mode that Softmax
// and the matrix products run by default.
constexpr auto kTable = Joined(kPacked, kPreciseTwins, kOthers);

}  // namespace

std::span<const KernelEntry> AttentionKernels() {
  return kTable;
}

}  // namespace halftone
