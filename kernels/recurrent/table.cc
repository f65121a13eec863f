#include "kernels/recurrent/packed.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/shared_components.h"
#include "kernels/tile/tile_rows.h"

namespace halftone {
namespace {

constexpr std::string_view FamilyOf(OpKind op) {
  return op == OpKind::kLstm ? "lstm" : op == OpKind::kGru ? "gru" : "rnn";
}

constexpr Component kPackedSteps{"recurrent.packed", 2, "asks for weights ahead"};
constexpr Component kRecurrentReference{.name = "recurrent.reference"};

template <OpKind op, std::size_t use>
constexpr KernelName kPackedName = TileKernelName(FamilyOf(op), kTileUses[use]);

template <OpKind op>
constexpr auto kPacked = TileRows([]<std::size_t use>() {
  KernelEntry row = TileRow(kPackedName<op, use>, op, kTileUses[use]);
  row.refusal = PackedRecurrentRefusal;
  row.prepare = PreparePackedRecurrent<kTileUses[use].tile>;
  row.scratch_bytes = PackedRecurrentScratch;
  row.run = RunPackedRecurrent;
  row.components.Add({&kPackedSteps, &kVectorMath});
  return row;
});

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kTunableDTypes | DTypeSet(DType::kFloat64),
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = nullptr,
          .prepare = PrepareRecurrentReference,
          .scratch_bytes = RecurrentReferenceScratch,
          .run = RunRecurrentReference,
          .is_reference = true,
          .components = {&kRecurrentReference}};
}

constexpr std::array kReferences = {
    Reference("lstm.reference", OpKind::kLstm),
    Reference("gru.reference", OpKind::kGru),
    Reference("rnn.reference", OpKind::kRnn),
};

constexpr auto kTable =
    Joined(kPacked<OpKind::kLstm>, kPacked<OpKind::kGru>, kPacked<OpKind::kRnn>, kReferences);

}  // namespace

std::span<const KernelEntry> RecurrentKernels() {
  return kTable;
}

}  // namespace halftone
