#include "kernels/gemm/packed.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed_state.h"
#include "kernels/parallel.h"
#include "kernels/tile/half_rows.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

void ScaleBias(const MatrixCall& call, const void* source, float* target) {
  WidenRow(call.result_dtype, source, target, call.bias_elements);
  if (call.beta != 1.0F) {
    for (std::int64_t i = 0; i < call.bias_elements; ++i) {
      target[i] *= call.beta;
    }
  }
}

StridedMatrix MatrixB(const MatrixCall& call, const void* b, std::int64_t matrix) {
  const auto offset = static_cast<std::size_t>(call.b_offsets[static_cast<std::size_t>(matrix)]);
  return {.dtype = call.dtype,
          .data = static_cast<const std::byte*>(b) + offset * SizeOf(call.dtype),
          .step_stride = call.b_step,
          .column_stride = call.b_column};
}

// All distinct matrices of a constant B.
Tensor PackB(const PackedState& state, const Tensor& b) {
  Tensor packed(DType::kUInt8, Shape{state.layout.size_bytes() * state.matrices()});
  for (std::int64_t matrix = 0; matrix < state.matrices(); ++matrix) {
    PackPanels(MatrixB(state.call, b.data(), matrix), state.layout, 0, state.layout.panels(),
               packed.mutable_data() + matrix * state.layout.size_bytes());
  }
  return packed;
}

std::string FormOfB(const PackedState& state) {
  const MatrixCall& call = state.call;
  return fmt::format("{} {}x{} of strides {} {}", PanelForm(*state.layout.tile), call.k, call.n,
                     call.b_step, call.b_column);
}

}  // namespace

std::unique_ptr<KernelState> PreparePackedGemm(const KernelQuery& query, const TileKernel& tile,
                                               const PackedPlace& b_place) {
  auto state = std::make_unique<PackedState>(query);
  const MatrixCall& call = state->call;
  state->layout = {.tile = &tile, .k = call.k, .n = call.n};
  state->blocks.steps = state->layout.steps();
  state->max_chunks = MaxChunks();
  if (const Tensor* b = query.Constant(1); b != nullptr) {
    state->b_constant = true;
    // Batches of B that differ are ordered by the shape of the result: those are packed anew.
    state->packed_b = PackOnce(
        call.b_shared ? b_place : PackedPlace{}, [&] { return FormOfB(*state); },
        [&] { return PackB(*state, *b); });
    state->constants.Release(1);
  }
  if (const Tensor* bias = query.Constant(2); call.has_bias && bias != nullptr) {
    state->bias_constant = true;
    state->bias.resize(static_cast<std::size_t>(call.bias_elements));
    ScaleBias(call, bias->data(), state->bias.data());
    state->constants.Release(2);
  }
  return state;
}

std::size_t PackedGemmScratchBytes(const KernelState& state) {
  const auto& packed = static_cast<const PackedState&>(state);
  return static_cast<std::size_t>(packed.b_bytes() + packed.bias_bytes() +
                                  packed.chunk_bytes() * packed.max_chunks);
}

void RunPackedGemm(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const PackedState&>(*args.state);
  const MatrixCall& call = state.call;
  std::byte* b = args.scratch;
  auto* bias = reinterpret_cast<float*>(b + state.b_bytes());
  if (!state.b_constant) {
    const void* source = state.constants.Input(args, 1);
    const std::int64_t panels = state.layout.panels();
    // Packing moves about 10 bytes a nanosecond.
    const std::int64_t grain = 500'000 / std::max<std::int64_t>(state.layout.panel_bytes(), 1);
    ParallelFor(panels * state.matrices(), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        PackPanels(MatrixB(call, source, i / panels), state.layout, i % panels, i % panels + 1,
                   b + i / panels * state.layout.size_bytes());
      }
    });
  }
  if (call.has_bias && !state.bias_constant) {
    ScaleBias(call, state.constants.Input(args, 2), bias);
  }
  const PackedRun run{
      .state = state,
      .a = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .b = state.b_constant ? state.packed_b.data() : b,
      .bias = !call.has_bias        ? nullptr
              : state.bias_constant ? state.bias.data()
                                    : bias,
      .residual = state.constants.Input(args, kResidualOperand),
      .y = static_cast<std::byte*>(args.outputs[0]),
      .chunk_scratch = b + state.b_bytes() + state.bias_bytes(),
      .sums_are_results = state.sums_are_results(),
  };
  MultiplyAll(run);
}

}  // namespace halftone
