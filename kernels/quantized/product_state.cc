#include "kernels/quantized/product_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/packed_weights.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool IsConstantOrAbsent(const KernelQuery& query, std::size_t operand) {
  return query.Input(operand) == nullptr || query.Constant(operand) != nullptr;
}

// True if results need the sums of the rows of A: unless all zero points of B are 0 (int8) or 128
// (uint8).
bool NeedsRowSums(const KernelQuery& query, const OperandPlaces& places, DType b_dtype) {
  const std::int64_t neutral = b_dtype == DType::kUInt8 ? 128 : 0;
  if (query.Input(places.b_zero) == nullptr) {
    return neutral != 0;
  }
  const Tensor* zero = query.Constant(places.b_zero);
  if (zero == nullptr) {
    return true;
  }
  const std::vector<std::int64_t> values = IntegersOf(*zero);
  return std::any_of(values.begin(), values.end(), [&](std::int64_t v) { return v != neutral; });
}

void PackMatrix(const ProductState& state, const void* b, std::int64_t matrix, std::int64_t panel,
                std::int8_t* target, std::int32_t* sums) {
  const BytePanels& layout = state.product.layout;
  PackBytePanel(
      {.data = static_cast<const std::byte*>(b) + state.b_offsets[static_cast<std::size_t>(matrix)],
       .step_stride = state.b_step,
       .column_stride = state.b_column,
       .is_unsigned = state.b_dtype == DType::kUInt8},
      layout, panel, target + matrix * layout.size_bytes() + panel * layout.panel_bytes(),
      sums + matrix * layout.padded_n() + panel * layout.columns);
}

// All matrices of a constant B, and the sums of their columns.
struct PackedB {
  Tensor panels;
  std::vector<std::int32_t> sums;
};

PackedB PackAll(const ProductState& state, const Tensor& b) {
  const BytePanels& layout = state.product.layout;
  PackedB all{.panels = Tensor(DType::kInt8, Shape{state.matrices() * layout.size_bytes()}),
              .sums = std::vector<std::int32_t>(
                  static_cast<std::size_t>(state.matrices() * layout.padded_n()))};
  for (std::int64_t i = 0; i < state.matrices() * layout.panels(); ++i) {
    PackMatrix(state, b.data(), i / layout.panels(), i % layout.panels(),
               reinterpret_cast<std::int8_t*>(all.panels.mutable_data()), all.sums.data());
  }
  return all;
}

// The operator tells the order of B before it is packed: of a convolution, taps first.
std::string FormOfB(const ProductState& state, OpKind op) {
  const BytePanels& layout = state.product.layout;
  return fmt::format("op {}: byte panels of {} bytes, {}x{} of strides {} {} at {}",
                     static_cast<int>(op), layout.panel_bytes(), layout.k, layout.n, state.b_step,
                     state.b_column, fmt::join(state.b_offsets, " "));
}

float FloatAt(const void* data) {
  return data == nullptr ? 1.0F : *static_cast<const float*>(data);
}

// All matrices, one behind the other.
void ComputeTerms(const ProductState& state, const KernelArgs& args, const std::int32_t* sums,
                  const ColumnTerms& out) {
  const OperandPlaces& places = state.places;
  const BytePanels& layout = state.product.layout;
  const auto input = [&](std::size_t operand) {
    return operand == kNoOperand ? nullptr : state.constants.Input(args, operand);
  };
  const auto* bias = static_cast<const std::int32_t*>(input(places.bias));
  const auto* b_zero = static_cast<const std::byte*>(input(places.b_zero));
  const auto* b_scale = static_cast<const float*>(input(places.b_scale));
  for (std::int64_t matrix = 0; matrix < state.matrices(); ++matrix) {
    const std::int64_t column = matrix * state.column_stride;
    const std::int64_t at = matrix * layout.padded_n();
    ComputeColumnTerms(
        {.k = layout.k,
         .n = layout.n,
         .a_zero = ZeroPointAt(state.a_dtype, input(places.a_zero)) +
                   (state.a_dtype == DType::kInt8 ? 128 : 0),
         .b_sums = sums + at,
         .b_zero = b_zero == nullptr ? nullptr : b_zero + (state.b_zero_per_column ? column : 0),
         .b_unsigned = state.b_dtype == DType::kUInt8,
         .b_zero_per_column = state.b_zero_per_column,
         .bias = bias == nullptr ? nullptr : bias + column,
         .a_scale = FloatAt(input(places.a_scale)),
         .b_scale =
             b_scale == nullptr ? nullptr : b_scale + (state.b_scale_per_column ? column : 0),
         .b_scale_per_column = state.b_scale_per_column,
         .y_scale = FloatAt(input(places.y_scale))},
        {.offset = out.offset + at,
         .b_zero = out.b_zero == nullptr ? nullptr : out.b_zero + at,
         .multiplier = out.multiplier == nullptr ? nullptr : out.multiplier + at});
  }
}

// The parts of the scratch before the chunks.
struct ScratchParts {
  explicit ScratchParts(const ProductState& state) {
    const BytePanels& layout = state.product.layout;
    const std::int64_t columns =
        RoundUp(state.matrices() * layout.padded_n() * static_cast<std::int64_t>(sizeof(float)));
    const auto take = [&](std::int64_t bytes) {
      const std::int64_t at = size;
      size += bytes;
      return at;
    };
    packed = take(state.b_constant ? 0 : RoundUp(state.matrices() * layout.size_bytes()));
    sums = take(state.b_constant ? 0 : columns);
    offset = take(state.terms_constant ? 0 : columns);
    b_zero = take(state.terms_constant || !state.has_b_zero ? 0 : columns);
    multiplier = take(state.terms_constant || state.y_dtype == DType::kInt32 ? 0 : columns);
  }

  std::int64_t packed = 0;
  std::int64_t sums = 0;
  std::int64_t offset = 0;
  std::int64_t b_zero = 0;
  std::int64_t multiplier = 0;
  std::int64_t size = 0;
};

}  // namespace

ProductState::ProductState(const KernelQuery& query, std::int64_t k, std::int64_t n,
                           const ByteTileKernel& tile)
    : places(PlacesOf(query.op)),
      a_dtype(query.Input(places.a)->dtype),
      b_dtype(query.Input(places.b)->dtype),
      y_dtype(query.outputs.at(0)->dtype),
      epilogue(query),
      constants(query),
      product(k, n, tile),
      b_scale_per_column(ElementsOf(query, places.b_scale) > 1),
      b_zero_per_column(ElementsOf(query, places.b_zero) > 1),
      has_b_zero(NeedsRowSums(query, places, b_dtype)),
      b_constant(query.Constant(places.b) != nullptr) {
  terms_constant = b_constant;
  for (const std::size_t operand : {places.a_zero, places.b_zero, places.a_scale, places.b_scale,
                                    places.y_scale, places.bias}) {
    terms_constant = terms_constant && IsConstantOrAbsent(query, operand);
  }
}

void ProductState::Prepare(const KernelQuery& query, const std::function<Tensor()>& b) {
  const BytePanels& layout = product.layout;
  const auto columns = static_cast<std::size_t>(matrices() * layout.padded_n());
  if (b_constant) {
    const PackedB all = PackOnce(
        PlaceOfConstant(query, places.b), [&] { return FormOfB(*this, query.op); },
        [&] { return PackAll(*this, b()); });
    packed = all.panels;
    sums = all.sums;
  }
  if (terms_constant) {
    offset.resize(columns);
    b_zero.resize(has_b_zero ? columns : 0);
    multiplier.resize(y_dtype == DType::kInt32 ? 0 : columns);
    ComputeTerms(*this, {}, sums.data(),
                 {.offset = offset.data(),
                  .b_zero = has_b_zero ? b_zero.data() : nullptr,
                  .multiplier = multiplier.empty() ? nullptr : multiplier.data()});
  }
}

std::int64_t ProductState::operand_bytes() const {
  return ScratchParts(*this).size;
}

ProductOperands OperandsOf(const ProductState& state, const KernelArgs& args) noexcept {
  const ScratchParts parts(state);
  const BytePanels& layout = state.product.layout;
  const OperandPlaces& places = state.places;
  ProductOperands in;
  in.a = static_cast<const std::uint8_t*>(state.constants.Input(args, places.a));
  in.flip = state.a_dtype == DType::kInt8 ? 0x80 : 0;
  const std::int32_t a_zero =
      ZeroPointAt(state.a_dtype, state.constants.Input(args, places.a_zero));
  in.a_zero = static_cast<std::uint8_t>(static_cast<std::uint8_t>(a_zero) ^ in.flip);
  in.y = static_cast<std::byte*>(args.outputs[0]);
  in.chunks = args.scratch + parts.size;
  in.b = reinterpret_cast<const std::int8_t*>(state.packed.data());
  const std::int32_t* sums = state.sums.data();
  if (!state.b_constant) {
    auto* packed = reinterpret_cast<std::int8_t*>(args.scratch + parts.packed);
    auto* packed_sums = reinterpret_cast<std::int32_t*>(args.scratch + parts.sums);
    const void* b = state.constants.Input(args, places.b);
    // Packing takes about a nanosecond for each element.
    const std::int64_t grain = 25'000 / std::max<std::int64_t>(layout.panel_bytes(), 1) + 1;
    ParallelFor(
        state.matrices() * layout.panels(), grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            PackMatrix(state, b, i / layout.panels(), i % layout.panels(), packed, packed_sums);
          }
        });
    in.b = packed;
    sums = packed_sums;
  }
  if (state.terms_constant) {
    in.terms = {
        .offset = const_cast<std::int32_t*>(state.offset.data()),
        .b_zero = state.has_b_zero ? const_cast<std::int32_t*>(state.b_zero.data()) : nullptr,
        .multiplier =
            state.multiplier.empty() ? nullptr : const_cast<float*>(state.multiplier.data())};
  } else {
    in.terms.offset = reinterpret_cast<std::int32_t*>(args.scratch + parts.offset);
    if (state.has_b_zero) {
      in.terms.b_zero = reinterpret_cast<std::int32_t*>(args.scratch + parts.b_zero);
    }
    if (state.y_dtype != DType::kInt32) {
      in.terms.multiplier = reinterpret_cast<float*>(args.scratch + parts.multiplier);
    }
    ComputeTerms(state, args, sums, in.terms);
  }
  if (places.y_zero != kNoOperand) {
    in.y_zero = ZeroPointAt(state.y_dtype, state.constants.Input(args, places.y_zero));
  }
  in.epilogue = state.epilogue.Of(state.constants, args);
  return in;
}

ByteRun ProductOperands::RunOf(const ProductState& state, std::int64_t index) const {
  const BytePanels& layout = state.product.layout;
  const std::int64_t at = index * layout.padded_n();
  return {.product = &state.product,
          .b = b + index * layout.size_bytes(),
          .terms = {.offset = terms.offset + at,
                    .b_zero = terms.b_zero == nullptr ? nullptr : terms.b_zero + at,
                    .multiplier = terms.multiplier == nullptr ? nullptr : terms.multiplier + at},
          .y = y,
          .dtype = state.y_dtype,
          .y_zero = y_zero,
          .epilogue = epilogue};
}

}  // namespace halftone
