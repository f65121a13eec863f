#include "kernels/gemm/few_rows.h"

#include <algorithm>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/few_rows_loops.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/tile/half_rows.h"
#include "kernels/tile/tile.h"
#include "kernels/tile/tile_output.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

// Columns of a block of the result, for one call of StoreTile().
constexpr std::int64_t kBlockColumns = kTileElements;
constexpr std::int64_t kAlignment = 64;

struct FewRowsState : ConstantsState {
  explicit FewRowsState(const KernelQuery& query)
      : ConstantsState(query), call(MatrixCallOf(query)) {}

  MatrixCall call;
  FewRowsLoop loop = nullptr;
  std::vector<float> bias;  // beta * C
  int max_chunks = 1;

  [[nodiscard]] std::int64_t blocks() const { return (call.n + kBlockColumns - 1) / kBlockColumns; }

  // Regions of a chunk's scratch: A in float32, then sums.
  [[nodiscard]] std::int64_t a_bytes() const {
    return (call.m * call.k * 4 + kAlignment - 1) / kAlignment * kAlignment;
  }

  [[nodiscard]] std::int64_t chunk_bytes() const { return a_bytes() + call.m * kBlockColumns * 4; }
};

struct Operands {
  const std::byte* a;
  const std::byte* b;
  const void* residual;
  std::byte* y;
};

void WidenA(const FewRowsState& s, const Operands& operands, std::int64_t batch, float* target) {
  const MatrixCall& call = s.call;
  for (std::int64_t i = 0; i < call.m; ++i) {
    const std::int64_t row = call.a_offsets[static_cast<std::size_t>(batch)] + i * call.a_row;
    WidenRow(call.dtype, operands.a + row * static_cast<std::int64_t>(SizeOf(call.dtype)),
             target + i * call.k, call.k);
  }
}

void MultiplyBlock(const FewRowsState& s, const Operands& operands, std::int64_t batch,
                   std::int64_t block, const float* a, float* sums) {
  const MatrixCall& call = s.call;
  const std::int64_t first = block * kBlockColumns;
  const std::int64_t columns = std::min(kBlockColumns, call.n - first);
  const std::int64_t offset =
      call.b_offsets[static_cast<std::size_t>(batch)] + first * call.b_column;
  s.loop({.a = a,
          .b = operands.b + offset * static_cast<std::int64_t>(SizeOf(call.dtype)),
          .rows = call.m,
          .columns = columns,
          .k = call.k,
          .b_stride = call.b_column == 1 ? call.b_step : call.b_column,
          .sums = sums,
          .sums_stride = kBlockColumns});
  for (std::int64_t i = 0; i < call.m; ++i) {
    TileOutput out{.y = operands.y + ((batch * call.m + i) * call.n + first) *
                                         static_cast<std::int64_t>(SizeOf(call.result_dtype)),
                   .dtype = call.result_dtype,
                   .row_stride = call.n,
                   .rows = 1,
                   .columns = static_cast<int>(columns),
                   .alpha = call.alpha,
                   .epilogue = &call.epilogue,
                   .slopes = call.epilogue.SlopesFrom(first),
                   .slopes_per_column = true};
    out.residual = ResidualAt(operands.residual, operands.y, out.y);
    if (!s.bias.empty()) {
      out.bias = s.bias.data() + i * call.bias_row + first * call.bias_column;
      out.bias_row = call.bias_row;
      out.bias_per_column = call.bias_column != 0;
    }
    StoreTile(sums + i * kBlockColumns, out);  // may write behind `columns`
  }
}

}  // namespace

std::string_view FewRowsRefusal(const KernelQuery& query) {
  if (query.Constant(1) != nullptr) {
    return "B is constant";
  }
  if (query.Input(2) != nullptr && query.Constant(2) == nullptr) {
    return "C is not constant";
  }
  const MatrixCall call = MatrixCallOf(query);
  if (call.m > kFewRows) {
    return "there are more than 4 rows";
  }
  if (call.m == 0 || call.n == 0 || call.k == 0 || call.batches() == 0) {
    return "there is nothing to sum";
  }
  if (call.a_step != 1) {
    return "A is transposed";
  }
  return call.b_column != 1 && call.b_step != 1 ? "neither rows nor columns of B are contiguous"
                                                : "";
}

std::unique_ptr<KernelState> PrepareFewRows(const KernelQuery& query) {
  auto state = std::make_unique<FewRowsState>(query);
  const MatrixCall& call = state->call;
  state->loop = FindFewRowsLoop(call.dtype, call.b_column != 1);
  if (const Tensor* bias = query.Constant(2); call.has_bias && bias != nullptr) {
    state->bias.resize(static_cast<std::size_t>(call.bias_elements));
    WidenRow(call.result_dtype, bias->data(), state->bias.data(), call.bias_elements);
    for (float& value : state->bias) {
      value *= call.beta;
    }
    state->constants.Release(2);
  }
  state->max_chunks = MaxChunks();
  return state;
}

std::size_t FewRowsScratchBytes(const KernelState& state) {
  const auto& s = static_cast<const FewRowsState&>(state);
  return static_cast<std::size_t>(s.chunk_bytes() * s.max_chunks);
}

void RunFewRows(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const FewRowsState&>(*args.state);
  const MatrixCall& call = s.call;
  const Operands operands{.a = static_cast<const std::byte*>(s.constants.Input(args, 0)),
                          .b = static_cast<const std::byte*>(s.constants.Input(args, 1)),
                          .residual = s.constants.Input(args, kResidualOperand),
                          .y = static_cast<std::byte*>(args.outputs[0])};
  const std::int64_t blocks = s.blocks();
  const double elements = static_cast<double>(call.k * std::min(kBlockColumns, call.n));
  // The kernel waits for B: 8 flops a byte stand for 12 GB/s (packed.cc).
  const double flops = elements * std::max(2.0 * static_cast<double>(call.m),
                                           8.0 * static_cast<double>(SizeOf(call.dtype)));
  ForEachChunk(call.batches() * blocks, GrainForFlops(flops), s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 std::byte* scratch = args.scratch + chunk * s.chunk_bytes();
                 auto* a = reinterpret_cast<float*>(scratch);
                 auto* sums = reinterpret_cast<float*>(scratch + s.a_bytes());
                 for (std::int64_t i = begin; i < end; ++i) {
                   if (i == begin || i % blocks == 0) {
                     WidenA(s, operands, i / blocks, a);
                   }
                   MultiplyBlock(s, operands, i / blocks, i % blocks, a, sums);
                 }
               });
}

}  // namespace halftone
