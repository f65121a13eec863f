#include "kernels/recurrent/packed.h"
#include "kernels/recurrent/recurrent.h"

namespace halftone {
namespace {

template <TileFormat format>
constexpr KernelEntry Packed(std::string_view name, OpKind op, DType dtype,
                             ImplMode mode = ImplMode::kDefault) {
  return {.name = name,
          .op = op,
          .dtypes = DTypeSet(dtype),
          .impl_mode = mode,
          .isa = format == TileFormat::kPairs ? kIsaAvx512 | kIsaAvx512Bf16 : kIsaAny,
          .refusal = PackedRecurrentRefusal,
          .prepare = PreparePackedRecurrent<format>,
          .scratch_bytes = PackedRecurrentScratch,
          .run = RunPackedRecurrent};
}

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
          .is_reference = true};
}

constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

constexpr KernelEntry kTable[] = {
    Packed<TileFormat::kFloat>("lstm.f32.highway", OpKind::kLstm, DType::kFloat32),
    Packed<TileFormat::kFloat16>("lstm.f16.highway", OpKind::kLstm, DType::kFloat16, kExact),
    Packed<TileFormat::kPairs>("lstm.f16.avx512_bf16.fast", OpKind::kLstm, DType::kFloat16, kFast),
    Packed<TileFormat::kPairs>("lstm.bf16.avx512_bf16", OpKind::kLstm, DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("lstm.bf16.highway", OpKind::kLstm, DType::kBFloat16),
    Packed<TileFormat::kFloat>("gru.f32.highway", OpKind::kGru, DType::kFloat32),
    Packed<TileFormat::kFloat16>("gru.f16.highway", OpKind::kGru, DType::kFloat16, kExact),
    Packed<TileFormat::kPairs>("gru.f16.avx512_bf16.fast", OpKind::kGru, DType::kFloat16, kFast),
    Packed<TileFormat::kPairs>("gru.bf16.avx512_bf16", OpKind::kGru, DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("gru.bf16.highway", OpKind::kGru, DType::kBFloat16),
    Packed<TileFormat::kFloat>("rnn.f32.highway", OpKind::kRnn, DType::kFloat32),
    Packed<TileFormat::kFloat16>("rnn.f16.highway", OpKind::kRnn, DType::kFloat16, kExact),
    Packed<TileFormat::kPairs>("rnn.f16.avx512_bf16.fast", OpKind::kRnn, DType::kFloat16, kFast),
    Packed<TileFormat::kPairs>("rnn.bf16.avx512_bf16", OpKind::kRnn, DType::kBFloat16),
    Packed<TileFormat::kBFloat16>("rnn.bf16.highway", OpKind::kRnn, DType::kBFloat16),
    Reference("lstm.reference", OpKind::kLstm),
    Reference("gru.reference", OpKind::kGru),
    Reference("rnn.reference", OpKind::kRnn),
};

}  // namespace

std::span<const KernelEntry> RecurrentKernels() {
  return kTable;
}

}  // namespace halftone
