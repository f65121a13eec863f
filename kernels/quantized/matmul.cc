#include "kernels/quantized/matmul.h"

#include <cstring>

#include "kernels/quantized/product_state.h"

namespace halftone {
namespace {

struct ByteMatMulState final : ProductState {
  ByteMatMulState(const KernelQuery& query, const MatrixCall& matrix_call,
                  const ByteTileKernel& tile)
      : ProductState(query, matrix_call.k, matrix_call.n, tile), call(matrix_call) {}

  MatrixCall call;
};

// Rows of A of one batch.
struct MatrixRows {
  const std::uint8_t* a;
  std::int64_t pitch;  // bytes between rows
  std::uint8_t flip;
};

ByteRowsView RowsOfMatrix(const ByteRowsQuery& query) noexcept {
  const auto& rows = *static_cast<const MatrixRows*>(query.source);
  const std::uint8_t* from = rows.a + query.row * rows.pitch + query.first;
  // Rows are read in place where the tile reads no byte behind a row and no rows of a tile fall
  // into two sets of the L1.
  const bool spread = query.rows <= 4 || rows.pitch % 2048 != 0;
  if (rows.flip == 0 && query.count % kBytesPerStep == 0 && spread) {
    return {from, rows.pitch};
  }
  for (int i = 0; i < query.rows; ++i) {
    std::uint8_t* to = query.buffer + i * query.stride;
    std::memcpy(to, from, static_cast<std::size_t>(query.count));
    for (std::int64_t k = 0; rows.flip != 0 && k < query.count; ++k) {
      to[k] ^= rows.flip;
    }
    from += rows.pitch;
  }
  return {query.buffer, query.stride};
}

}  // namespace

std::string_view ByteMatMulRefusal(const KernelQuery& query) {
  const Shape& b = query.Input(PlacesOf(query.op).b)->shape;
  return RefusalOfScales(query, b.rank() < 2 ? 1 : b[b.rank() - 1]);
}

std::unique_ptr<KernelState> PrepareByteMatMul(const KernelQuery& query,
                                               const ByteTileKernel& tile) {
  const MatrixCall call = QuantizedMatrixCall(query);
  auto state = std::make_unique<ByteMatMulState>(query, call, tile);
  state->b_offsets = call.b_shared ? std::vector<std::int64_t>{0} : call.b_offsets;
  state->b_step = call.b_step;
  state->b_column = call.b_column;
  state->Prepare(query, [&] { return *query.Constant(state->places.b); });
  return state;
}

std::size_t ByteMatMulScratchBytes(const KernelState& state) {
  return static_cast<std::size_t>(static_cast<const ByteMatMulState&>(state).scratch_bytes());
}

void RunByteMatMul(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const ByteMatMulState&>(*args.state);
  const MatrixCall& call = state.call;
  const ProductOperands in = OperandsOf(state, args);
  for (std::int64_t batch = 0; batch < call.batches(); ++batch) {
    const MatrixRows rows{.a = in.a + call.a_offsets[static_cast<std::size_t>(batch)],
                          .pitch = call.a_row,
                          .flip = in.flip};
    ByteRun run = in.RunOf(state, call.b_shared ? 0 : batch);
    run.m = call.m;
    run.rows = RowsOfMatrix;
    run.source = &rows;
    run.Advance(batch * call.m * call.n);
    run.row_stride = call.n;
    MultiplyBytes(run, in.chunks);
  }
}

}  // namespace halftone
