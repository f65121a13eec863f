#include "kernels/quantized/dynamic_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/packed_weights.h"
#include "kernels/parallel.h"
#include "kernels/quantized/rounding.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

constexpr std::size_t kScales = 2;
constexpr std::int64_t kAlignment = 64;
constexpr std::int32_t kZeroPoint = 128;
constexpr std::int64_t kGrain = 1 << 15;  // elements of A: about 25 us at 5 bytes and 7 GB/s

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Bytes between quantised rows, such that the rows of a tile lie in different sets of the L1.
constexpr std::int64_t RowPitch(std::int64_t k) {
  const std::int64_t pitch = std::max<std::int64_t>(RoundUp(k), kAlignment);
  return pitch % 512 == 0 ? pitch + kAlignment : pitch;
}

struct PackedB {
  Tensor panels;
  std::vector<std::int32_t> offset;  // -128 times the sum of each column
};

struct DynamicState final : ConstantsState {
  DynamicState(const KernelQuery& query, const ByteTileKernel& tile)
      : ConstantsState(query),
        m(query.inputs[0]->shape.ElementCount(0, query.inputs[0]->shape.rank() - 1)),
        product(query.inputs[1]->shape[0], query.inputs[1]->shape[1], tile),
        epilogue(DynamicEpilogueOf(query)) {}

  [[nodiscard]] std::int64_t scales_bytes() const {
    return RoundUp(m * static_cast<std::int64_t>(sizeof(float)));
  }

  [[nodiscard]] std::int64_t rows_bytes() const { return m * RowPitch(product.layout.k); }

  std::int64_t m = 0;
  ByteProduct product;
  Epilogue epilogue;
  PackedB b;
  std::vector<float> column_scales;
  std::vector<float> bias;  // empty: none
};

PackedB Pack(const BytePanels& layout, const Tensor& b) {
  PackedB packed{.panels = Tensor(DType::kInt8, Shape{layout.size_bytes()}),
                 .offset = std::vector<std::int32_t>(static_cast<std::size_t>(layout.padded_n()))};
  for (std::int64_t panel = 0; panel < layout.panels(); ++panel) {
    PackBytePanel(
        {.data = b.data(), .step_stride = layout.n, .column_stride = 1}, layout, panel,
        reinterpret_cast<std::int8_t*>(packed.panels.mutable_data()) + panel * layout.panel_bytes(),
        packed.offset.data() + panel * layout.columns);
  }
  for (std::int32_t& sum : packed.offset) {
    sum = Wrapped(std::int64_t{sum} * -kZeroPoint);
  }
  return packed;
}

std::vector<float> Padded(const Tensor& numbers, std::int64_t count) {
  const auto values = numbers.values<float>();
  std::vector<float> padded(values.begin(), values.end());
  padded.resize(static_cast<std::size_t>(count));
  return padded;
}

struct QuantizedRows {
  const std::uint8_t* data = nullptr;
  std::int64_t pitch = 0;
};

ByteRowsView RowsInPlace(const ByteRowsQuery& query) noexcept {
  const auto& rows = *static_cast<const QuantizedRows*>(query.source);
  return {rows.data + query.row * rows.pitch + query.first, rows.pitch};
}

bool IsConstant(const KernelQuery& query, std::size_t operand) {
  return query.Constant(operand) != nullptr;
}

}  // namespace

RowScale RowScaleOf(float largest) {
  if (!(largest <= std::numeric_limits<float>::max())) {
    return {0, std::numeric_limits<float>::quiet_NaN()};
  }
  return largest < kLeastRowMagnitude ? RowScale() : RowScale{127.0F / largest, largest / 127.0F};
}

Epilogue DynamicEpilogueOf(const KernelQuery& query) {
  Epilogue epilogue = EpilogueOf(query, query.inputs[1]->shape[1]);
  epilogue.residual = query.fusion->residual;
  return epilogue;
}

std::string_view DynamicCallRefusal(const KernelQuery& query) {
  if (query.inputs[1]->shape[0] > kMostDynamicProducts) {
    return "a sum of more than 133144 products may not fit into int32";
  }
  const auto& activation = query.fusion->activation;
  if (activation && activation->op == OpKind::kPRelu) {
    return "has no slopes of PRelu";
  }
  return "";
}

std::string_view DynamicMatMulRefusal(const KernelQuery& query) {
  for (const std::size_t operand : {kScales, kDynamicBiasOperand, kDynamicResidualOperand}) {
    if (query.Input(operand) != nullptr && query.Input(operand)->dtype != DType::kFloat32) {
      return "scales, bias or residual are not float32";
    }
  }
  if (query.outputs.at(0)->dtype != DType::kFloat32) {
    return "the result is not float32";
  }
  if (!IsConstant(query, 1) || !IsConstant(query, kScales) ||
      (query.Input(kDynamicBiasOperand) != nullptr && !IsConstant(query, kDynamicBiasOperand))) {
    return "weights, scales or bias are not constant";
  }
  return DynamicCallRefusal(query);
}

std::unique_ptr<KernelState> PrepareDynamicMatMul(const KernelQuery& query,
                                                  const ByteTileKernel& tile) {
  auto state = std::make_unique<DynamicState>(query, tile);
  const BytePanels& layout = state->product.layout;
  state->b = PackOnce(
      PlaceOfConstant(query, 1),
      [&] { return fmt::format("dynamic product: panels of {} columns", layout.columns); },
      [&] { return Pack(layout, *query.Constant(1)); });
  state->constants.Release(1);
  state->column_scales = Padded(*query.Constant(kScales), layout.padded_n());
  if (query.Input(kDynamicBiasOperand) != nullptr) {
    state->bias = Padded(*query.Constant(kDynamicBiasOperand), layout.padded_n());
  }
  return state;
}

std::size_t DynamicMatMulScratchBytes(const KernelState& state) {
  const auto& dynamic = static_cast<const DynamicState&>(state);
  return static_cast<std::size_t>(dynamic.scales_bytes() + dynamic.rows_bytes() +
                                  dynamic.product.max_chunks * dynamic.product.chunk_bytes());
}

void RunDynamicMatMul(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const DynamicState&>(*args.state);
  const BytePanels& layout = state.product.layout;
  const auto* x = static_cast<const float*>(state.constants.Input(args, 0));
  auto* scales = reinterpret_cast<float*>(args.scratch);
  auto* bytes = reinterpret_cast<std::uint8_t*>(args.scratch + state.scales_bytes());
  const std::int64_t pitch = RowPitch(layout.k);
  ParallelFor(state.m, kGrain / std::max<std::int64_t>(layout.k, 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  scales[i] = QuantizeDynamicRow(x + i * layout.k, layout.k, bytes + i * pitch);
                }
              });
  const DynamicResult result{.y = static_cast<float*>(args.outputs[0]),
                             .columns = layout.n,
                             .row_scales = scales,
                             .offset = state.b.offset.data(),
                             .column_scales = state.column_scales.data(),
                             .bias = state.bias.empty() ? nullptr : state.bias.data(),
                             .epilogue = &state.epilogue,
                             .residual = state.epilogue.residual == ResidualPlace::kNone
                                             ? nullptr
                                             : static_cast<const float*>(state.constants.Input(
                                                   args, kDynamicResidualOperand))};
  const QuantizedRows rows{bytes, pitch};
  MultiplyBytes({.product = &state.product,
                 .m = state.m,
                 .rows = RowsInPlace,
                 .source = &rows,
                 .b = reinterpret_cast<const std::int8_t*>(state.b.panels.data()),
                 .store = StoreDynamicTile,
                 .result = &result},
                args.scratch + state.scales_bytes() + state.rows_bytes());
}

}  // namespace halftone
