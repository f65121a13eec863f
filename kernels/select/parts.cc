#include <algorithm>
#include <cstring>

#include "kernels/copy/copy_bytes.h"
#include "kernels/parallel.h"
#include "kernels/select/select.h"

namespace halftone {
namespace {

struct TriluState final : KernelState {
  std::int64_t rows = 1;  // of all matrices
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t element = 1;  // bytes
  bool upper = true;
  bool has_diagonal = false;
};

struct ReverseState final : KernelState {
  std::int64_t batch = 1;
  std::int64_t time = 1;
  std::int64_t batch_stride = 0;  // bytes
  std::int64_t time_stride = 0;
  std::int64_t block = 0;
};

}  // namespace

std::unique_ptr<KernelState> PrepareTrilu(const KernelQuery& query) {
  auto state = std::make_unique<TriluState>();
  const TensorType& x = *query.inputs.at(0);
  state->height = x.shape[x.shape.rank() - 2];
  state->width = x.shape[x.shape.rank() - 1];
  state->rows = x.shape.ElementCount(0, x.shape.rank() - 1);
  state->element = static_cast<std::int64_t>(SizeOf(x.dtype));
  state->upper = query.attributes->Int("upper", 1) != 0;
  state->has_diagonal = query.Input(1) != nullptr;
  return state;
}

// Copies a part of each row, the columns from row + k on or up to row + k, and clears the rest.
void RunTrilu(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const TriluState&>(*args.state);
  const std::int64_t k = s.has_diagonal ? *static_cast<const std::int64_t*>(args.inputs[1]) : 0;
  const std::int64_t diagonal = std::clamp(k, -s.height - 1, s.width + 1);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const std::int64_t row_bytes = s.width * s.element;
  ParallelFor(s.rows, GrainOf(row_bytes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t at = row % s.height + diagonal;
      const std::int64_t first = s.upper ? std::clamp<std::int64_t>(at, 0, s.width) : 0;
      const std::int64_t last = s.upper ? s.width : std::clamp<std::int64_t>(at + 1, 0, s.width);
      std::byte* to = y + row * row_bytes;
      std::memset(to, 0, static_cast<std::size_t>(row_bytes));
      std::memcpy(to + first * s.element, x + row * row_bytes + first * s.element,
                  static_cast<std::size_t>((last - first) * s.element));
    }
  });
}

std::unique_ptr<KernelState> PrepareReverseSequence(const KernelQuery& query) {
  auto state = std::make_unique<ReverseState>();
  const TensorType& x = *query.inputs.at(0);
  const int time = static_cast<int>(query.attributes->Int("time_axis", 0));
  state->block =
      x.shape.ElementCount(2, x.shape.rank()) * static_cast<std::int64_t>(SizeOf(x.dtype));
  state->batch = x.shape[1 - time];
  state->time = x.shape[time];
  state->time_stride = time == 1 ? state->block : state->block * x.shape[1];
  state->batch_stride = time == 0 ? state->block : state->block * x.shape[1];
  return state;
}

// The first sequence_lens[b] steps of each sequence in reverse; the others stay.
void RunReverseSequence(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const ReverseState&>(*args.state);
  const auto* lengths = static_cast<const std::int64_t*>(args.inputs[1]);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  ParallelFor(s.batch * s.time, GrainOf(s.block), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / s.time;
      const std::int64_t t = i % s.time;
      const std::int64_t length = std::clamp<std::int64_t>(lengths[b], 0, s.time);
      const std::int64_t from = t < length ? length - 1 - t : t;
      std::memcpy(y + b * s.batch_stride + t * s.time_stride,
                  x + b * s.batch_stride + from * s.time_stride, static_cast<std::size_t>(s.block));
    }
  });
}

}  // namespace halftone
