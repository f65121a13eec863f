// GridSample on blocks of points: their windows are computed once, for all channels.
#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/sample/grid_windows.h"
#include "kernels/sample/sample.h"

namespace halftone {
namespace {

struct BlockState final : GridState {
  GridForm form;
  GridLoop loop = nullptr;
  std::int64_t blocks = 1;  // of an image
  std::int64_t grain = 1;   // blocks
};

// A point whose pixels do not lie in runs, by the definition.
void RunPoint(const BlockState& s, const KernelArgs& args, std::int64_t image, std::int64_t point) {
  const GridPointTaps taps = GridTapsAt(s, args.inputs[1], image * s.places + point);
  for (std::int64_t c = 0; c < s.channels; ++c) {
    const std::int64_t plane = image * s.channels + c;
    StoreDouble(s.dtype, args.outputs[0], plane * s.places + point,
                GridSampleAt(s, args.inputs[0], plane, taps));
  }
}

void RunBlock(const BlockState& s, const KernelArgs& args, std::int64_t block,
              GridWindows& windows) {
  const auto element = static_cast<std::int64_t>(SizeOf(s.dtype));
  const std::int64_t image = block / s.blocks;
  const std::int64_t first = block % s.blocks * s.form.points();
  const std::int64_t count = std::min(s.form.points(), s.places - first);
  FillGridWindows(s, s.form, args.inputs[1], image * s.places + first, count, windows);
  s.loop({.windows = &windows,
          .x = static_cast<const std::byte*>(args.inputs[0]) +
               image * s.channels * s.plane() * element,
          .y = static_cast<std::byte*>(args.outputs[0]) +
               (image * s.channels * s.places + first) * element,
          .channels = s.channels,
          .plane = s.plane(),
          .places = s.places});
  for (std::int64_t k = 0; k < windows.others; ++k) {
    RunPoint(s, args, image, first + windows.other[k]);
  }
}

}  // namespace

std::string_view RefuseGridSampleBlocks(const KernelQuery& query) {
  const Shape& shape = query.inputs.at(0)->shape;
  const std::string mode = query.attributes->Text("mode", "linear");
  const std::int64_t run = mode == "nearest" ? 1 : (mode == "cubic" ? 4 : 2);
  if (shape.ElementCount(2, shape.rank()) == 0) {
    return "the image is empty";
  }
  return shape[shape.rank() - 1] >= run ? "" : "a row has fewer pixels than a point reads";
}

std::unique_ptr<KernelState> PrepareGridSampleBlocks(const KernelQuery& query) {
  auto state = std::make_unique<BlockState>();
  FillGridState(query, *state);
  state->form = GridFormOf(*state);
  state->loop = FindGridLoop(state->dtype, state->form.run);
  const std::int64_t points = state->form.points();
  state->blocks = (state->places + points - 1) / points;
  // Places of a point 30 ns, a pixel of it 0.5 ns in each channel; 25 us are worth a worker.
  const std::int64_t point_ns = 30 + state->form.run * state->form.rows * state->channels / 2;
  state->grain = 25'000 / (points * point_ns) + 1;
  return state;
}

void RunGridSampleBlocks(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const BlockState&>(*args.state);
  ParallelFor(s.batch * s.blocks, s.grain, [&](std::int64_t begin, std::int64_t end) {
    GridWindows windows;
    for (std::int64_t i = begin; i < end; ++i) {
      RunBlock(s, args, i, windows);
    }
  });
}

}  // namespace halftone
