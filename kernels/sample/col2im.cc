#include <vector>

#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "kernels/sample/sample.h"
#include "src/ir/window.h"

namespace halftone {
namespace {

struct Col2ImState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t planes = 1;  // images times channels
  std::int64_t pixels = 1;
  std::int64_t block = 1;   // elements
  std::int64_t blocks = 1;  // of an image
  // The elements of a plane [block, blocks] that a pixel sums are sources[first[pixel]] and those
  // that follow it.
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> sources;
};

// The pixel that element `k` of block `b` covers; -1: in the padding.
std::int64_t PixelOf(const Window& window, const std::vector<std::int64_t>& image, std::int64_t k,
                     std::int64_t b) {
  std::int64_t pixel = 0;
  std::int64_t stride = 1;
  for (std::size_t axis = image.size(); axis-- > 0;) {
    const std::int64_t at = b % window.output[axis] * window.stride[axis] +
                            k % window.kernel[axis] * window.dilation[axis] -
                            window.pad_begin[axis];
    b /= window.output[axis];
    k /= window.kernel[axis];
    if (at < 0 || at >= image[axis]) {
      return -1;
    }
    pixel += at * stride;
    stride *= image[axis];
  }
  return pixel;
}

template <typename T>
T PixelSum(const Col2ImState& s, const T* plane, std::size_t pixel) {
  using Sum = std::conditional_t<kIsFloatElement<T>, double, std::uint64_t>;
  Sum sum = 0;
  for (std::int64_t k = s.first[pixel]; k < s.first[pixel + 1]; ++k) {
    sum += static_cast<Sum>(NumberOf(plane[s.sources[static_cast<std::size_t>(k)]]));
  }
  return ElementOf<T>(sum);
}

}  // namespace

std::unique_ptr<KernelState> PrepareCol2Im(const KernelQuery& query) {
  auto state = std::make_unique<Col2ImState>();
  const Shape& y = query.outputs.at(0)->shape;
  const std::vector<std::int64_t> image(y.dims().begin() + 2, y.dims().end());
  const std::vector<std::int64_t> kernel = IntegersOf(*query.constants.at(2));
  const Window window = WindowOf(*query.attributes, y, kernel);
  state->dtype = query.inputs.at(0)->dtype;
  state->planes = y[0] * y[1];
  state->pixels = Shape(image).ElementCount();
  state->block = Shape(kernel).ElementCount();
  state->blocks = query.inputs[0]->shape[2];
  std::vector<std::vector<std::int64_t>> sources(static_cast<std::size_t>(state->pixels));
  for (std::int64_t i = 0; i < state->block * state->blocks; ++i) {
    const std::int64_t pixel = PixelOf(window, image, i / state->blocks, i % state->blocks);
    if (pixel >= 0) {
      sources[static_cast<std::size_t>(pixel)].push_back(i);
    }
  }
  for (const auto& own : sources) {
    state->first.push_back(static_cast<std::int64_t>(state->sources.size()));
    state->sources.insert(state->sources.end(), own.begin(), own.end());
  }
  state->first.push_back(static_cast<std::int64_t>(state->sources.size()));
  return state;
}

void RunCol2Im(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const Col2ImState&>(*args.state);
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* x = static_cast<const T*>(args.inputs[0]);
    auto* y = static_cast<T*>(args.outputs[0]);
    ParallelFor(s.planes * s.pixels, 5'000, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const T* plane = x + i / s.pixels * s.block * s.blocks;
        y[i] = PixelSum(s, plane, static_cast<std::size_t>(i % s.pixels));
      }
    });
  });
}

}  // namespace halftone
