#include "kernels/pool/windowed.h"

#include <vector>

#include "kernels/gemm/chunks.h"
#include "kernels/pool/pool_call.h"
#include "kernels/pool/row_pool.h"

namespace halftone {
namespace {

struct WindowedState : KernelState {
  explicit WindowedState(const KernelQuery& query) : call(PoolCallOf(query)) {}

  PoolCall call;
  RowPool rows;
  std::vector<std::int64_t> sources;  // of `rows`
  std::vector<std::int64_t> ends;
  std::vector<float> row_counts;
  std::vector<float> column_counts;
  int max_chunks = MaxChunks();

  // Bytes of one joined row; a multiple of the alignment.
  [[nodiscard]] std::int64_t chunk_bytes() const { return (rows.row_elements() + 15) / 16 * 64; }
};

float CountOf(const PoolCall& call, std::size_t axis, std::int64_t out) {
  return static_cast<float>(TapsAt(call, axis, out).counted);
}

// The rows under the window of output row (z, y), layer by layer.
void AddRows(WindowedState& state, std::int64_t z, std::int64_t y) {
  const PoolCall& call = state.call;
  const TapRange layers = TapsAt(call, 0, z);
  const TapRange rows = TapsAt(call, 1, y);
  for (std::int64_t tz = layers.first; tz < layers.last; ++tz) {
    const std::int64_t layer = z * call.stride[0] - call.pad[0] + tz * call.dilation[0];
    for (std::int64_t ty = rows.first; ty < rows.last; ++ty) {
      const std::int64_t row = y * call.stride[1] - call.pad[1] + ty * call.dilation[1];
      state.sources.push_back((layer * call.input[1] + row) * call.input[2]);
    }
  }
  state.ends.push_back(std::ssize(state.sources));
  state.row_counts.push_back(CountOf(call, 0, z) * CountOf(call, 1, y));  // whole numbers: exact
}

}  // namespace

std::string_view WindowedPoolRefusal(const KernelQuery& query) {
  if (query.layout.channels_last) {
    return "channels are last";
  }
  if (query.outputs.size() > 1) {
    return "Indices are asked for";
  }
  return "";
}

std::unique_ptr<KernelState> PrepareWindowedPool(const KernelQuery& query) {
  auto state = std::make_unique<WindowedState>(query);
  const PoolCall& call = state->call;
  for (std::int64_t z = 0; z < call.output[0]; ++z) {
    for (std::int64_t y = 0; y < call.output[1]; ++y) {
      AddRows(*state, z, y);
    }
  }
  for (std::int64_t x = 0; x < call.output[2]; ++x) {
    state->column_counts.push_back(CountOf(call, 2, x));
  }
  state->rows = {.average = call.average,
                 .input_width = call.input[2],
                 .width = call.output[2],
                 .pad = call.pad[2],
                 .stride = call.stride[2],
                 .dilation = call.dilation[2],
                 .taps = call.kernel[2],
                 .sources = state->sources,
                 .ends = state->ends,
                 .row_counts = state->row_counts,
                 .column_counts = state->column_counts};
  return state;
}

std::size_t WindowedPoolScratchBytes(const KernelState& state) {
  const auto& windowed = static_cast<const WindowedState&>(state);
  return static_cast<std::size_t>(windowed.chunk_bytes() * windowed.max_chunks);
}

void RunWindowedPool(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const WindowedState&>(*args.state);
  const PoolCall& call = state.call;
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  // Joining a row takes about 2 operations an element of each source.
  const double work = 2.0 * static_cast<double>(std::ssize(state.sources) * call.input[2]) +
                      4.0 * static_cast<double>(call.OutputPixels() * call.kernel[2]);
  ForEachChunk(call.planes(), GrainForFlops(work), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 auto* row = reinterpret_cast<float*>(args.scratch + chunk * state.chunk_bytes());
                 PrepareRow(state.rows, call.dtype, row);
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto* x = static_cast<const std::byte*>(args.inputs[0]);
                   auto* y = static_cast<std::byte*>(args.outputs[0]);
                   PoolPlane(state.rows,
                             {.dtype = call.dtype,
                              .x = x + i * call.InputPixels() * element,
                              .readable = (call.planes() - i) * call.InputPixels(),
                              .y = y + i * call.OutputPixels() * element},
                             row);
                 }
               });
}

}  // namespace halftone
