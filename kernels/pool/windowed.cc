#include "kernels/pool/windowed.h"

#include <limits>

#include "kernels/conv/plane_rows.h"
#include "kernels/gemm/chunks.h"
#include "kernels/pool/plane_pool.h"
#include "kernels/pool/pool_call.h"

namespace halftone {
namespace {

struct WindowedState : KernelState {
  explicit WindowedState(const KernelQuery& query)
      : call(PoolCallOf(query)), layout(PlaneLayoutOf(call)), offsets(TapOffsets(call, layout)) {}

  PoolCall call;
  PlaneLayout layout;
  std::vector<std::int64_t> offsets;
  std::vector<float> row_counts;     // of every layer of the output, row by row
  std::vector<float> column_counts;  // with kPoolSlack ones behind
  int max_chunks = MaxChunks();

  // One laid out plane; a multiple of the alignment.
  [[nodiscard]] std::int64_t chunk_bytes() const {
    return (layout.size() + kPoolSlack + 15) / 16 * 64;
  }
};

std::vector<float> CountsOf(const PoolCall& call, std::size_t axis) {
  std::vector<float> counts;
  for (std::int64_t i = 0; i < call.output[axis]; ++i) {
    counts.push_back(static_cast<float>(TapsAt(call, axis, i).counted));
  }
  return counts;
}

// One plane that is laid out.
void PoolLayers(const WindowedState& state, const float* plane, std::byte* y) {
  const PoolCall& call = state.call;
  const std::int64_t pixels = call.output[1] * call.output[2];
  for (std::int64_t z = 0; z < call.output[0]; ++z) {
    PoolPlane({.average = call.average,
               .plane = plane + z * call.stride[0] * state.layout.layer_size(),
               .row_step = call.stride[1] * state.layout.row_size(),
               .rows = call.output[1],
               .width = call.output[2],
               .offsets = state.offsets.data(),
               .taps = call.Taps(),
               .row_taps = call.kernel[2],
               .row_counts = call.average ? state.row_counts.data() + z * call.output[1] : nullptr,
               .column_counts = state.column_counts.data(),
               .result_dtype = call.dtype,
               .y = y + z * pixels * static_cast<std::int64_t>(SizeOf(call.dtype))});
  }
}

}  // namespace

std::string_view WindowedPoolRefusal(const KernelQuery& query) {
  if (IsChannelsLast(*query.attributes)) {
    return "channels are last";
  }
  if (query.outputs.size() > 1) {
    return "Indices are asked for";
  }
  return "";
}

std::unique_ptr<KernelState> PrepareWindowedPool(const KernelQuery& query) {
  auto state = std::make_unique<WindowedState>(query);
  if (state->call.average) {
    for (const float of_layer : CountsOf(state->call, 0)) {
      for (const float of_row : CountsOf(state->call, 1)) {
        state->row_counts.push_back(of_layer * of_row);  // whole numbers: exact
      }
    }
    state->column_counts = CountsOf(state->call, 2);
    state->column_counts.insert(state->column_counts.end(), kPoolSlack, 1.0F);
  }
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
  const float padding = call.average ? 0.0F : -std::numeric_limits<float>::infinity();
  // Laying out a plane takes about as long as 16 operations per element.
  const double work = 16.0 * static_cast<double>(state.layout.size()) +
                      4.0 * static_cast<double>(call.OutputPixels() * call.Taps());
  ForEachChunk(call.planes(), GrainForFlops(work), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 auto* plane = reinterpret_cast<float*>(args.scratch + chunk * state.chunk_bytes());
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto* x = static_cast<const std::byte*>(args.inputs[0]);
                   auto* y = static_cast<std::byte*>(args.outputs[0]);
                   LayOutRows({.window = &call,
                               .layout = &state.layout,
                               .source_dtype = call.dtype,
                               .source = x + i * call.InputPixels() * element,
                               .source_end = x + call.planes() * call.InputPixels() * element,
                               .padding = padding,
                               .target = plane});
                   PoolLayers(state, plane, y + i * call.OutputPixels() * element);
                 }
               });
}

}  // namespace halftone
