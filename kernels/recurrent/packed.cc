#include "kernels/recurrent/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed.h"
#include "kernels/parallel.h"
#include "kernels/recurrent/cells.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/tile/half_rows.h"

namespace halftone {
namespace {

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// The packed weights of a direction.
struct Direction {
  std::unique_ptr<KernelState> input;      // X W^T + biases, all gates of all steps
  std::unique_ptr<KernelState> recurrent;  // h R^T: all gates, or z and r of a GRU
  std::unique_ptr<KernelState> candidate;  // (r h) R^T of a GRU that resets before the product
  CellConstants constants;
};

struct PackedState final : KernelState {
  // All of them are constant, and none is looked at again.
  [[nodiscard]] bool Consumed(std::size_t input) const override {
    return input == kW || input == kR || input == kB || input == kPeepholes;
  }

  RecurrentCall call;
  std::vector<Direction> directions;
  std::int64_t product_bytes = 0;

  [[nodiscard]] bool resets_before() const {
    return call.op == OpKind::kGru && !call.linear_before_reset;
  }

  [[nodiscard]] std::int64_t width() const { return call.gates * call.hidden; }

  [[nodiscard]] std::int64_t rows() const { return call.steps * call.batch; }
};

// Addresses of the regions of the scratch.
struct Scratch {
  float* inputs;     // [steps * batch, gates * hidden]
  float* sums;       // [batch, gates * hidden]: products of a step, then the gates
  float* work;       // [batch, 2 * hidden]
  float* cell;       // [batch, hidden]
  std::byte* h;      // [batch, hidden] of the dtype
  std::byte* reset;  // likewise: r h
  std::byte* product;
  std::int64_t bytes;

  Scratch(const PackedState& s, std::byte* first) {
    std::int64_t at = 0;
    const auto part = [&](std::int64_t size) {
      std::byte* begin = first != nullptr ? first + at : nullptr;
      at += RoundUp(size);
      return begin;
    };
    const std::int64_t state = s.call.batch * s.call.hidden;
    const auto element = static_cast<std::int64_t>(SizeOf(s.call.dtype));
    inputs = reinterpret_cast<float*>(part(s.rows() * s.width() * 4));
    sums = reinterpret_cast<float*>(part(s.call.batch * s.width() * 4));
    work = reinterpret_cast<float*>(part(state * 2 * 4));
    cell = reinterpret_cast<float*>(part(state * 4));
    h = part(state * element);
    reset = part(state * element);
    product = part(s.product_bytes);
    bytes = at;
  }
};

// Rows [first, first + rows) of matrix `d` of a stack, as a tensor of its own.
Tensor Slice(const Tensor& stack, std::int64_t d, std::int64_t first, std::int64_t rows) {
  const std::int64_t columns = stack.shape()[2];
  Tensor slice(stack.dtype(), Shape{rows, columns});
  const auto row_bytes = static_cast<std::size_t>(columns) * SizeOf(stack.dtype());
  std::memcpy(slice.mutable_data(),
              stack.data() + static_cast<std::size_t>(d * stack.shape()[1] + first) * row_bytes,
              static_cast<std::size_t>(rows) * row_bytes);
  return slice;
}

// A[rows, k] * weights^T + bias, with float32 results.
std::unique_ptr<KernelState> Product(PackedState& state, const TileKernel& tile, std::int64_t rows,
                                     const Tensor& weights, const Tensor* bias,
                                     const PackedPlace& place) {
  Attributes attributes;
  attributes.Set("transB", std::int64_t{1});
  const TensorType a{weights.dtype(), {rows, weights.shape()[1]}};
  const TensorType y{DType::kFloat32, {rows, weights.shape()[0]}};
  KernelQuery query{.op = OpKind::kGemm, .attributes = &attributes};
  query.inputs = {&a, &weights.type(), bias != nullptr ? &bias->type() : nullptr};
  query.constants = {nullptr, &weights, bias};
  query.outputs = {&y};
  auto product = PreparePackedGemm(query, tile, place);
  state.product_bytes = std::max(
      state.product_bytes, RoundUp(static_cast<std::int64_t>(PackedGemmScratchBytes(*product))));
  return product;
}

void Multiply(const KernelState& product, const void* a, float* y, std::byte* scratch) noexcept {
  const void* inputs[] = {a, nullptr, nullptr};
  void* outputs[] = {y};
  RunPackedGemm({.state = &product, .inputs = inputs, .outputs = outputs, .scratch = scratch});
}

// The biases that the input product adds: those of W, and those of R but for the candidate of a GRU
// whose reset gate multiplies them.
Tensor InputBias(const RecurrentCall& call, const Tensor& biases, std::int64_t d) {
  Tensor sum(DType::kFloat32, Shape{call.gates * call.hidden});
  const auto values = sum.mutable_values<float>();
  const std::int64_t width = call.gates * call.hidden;
  for (std::int64_t i = 0; i < width; ++i) {
    const bool apart = call.op == OpKind::kGru && call.linear_before_reset && i >= 2 * call.hidden;
    const double of_r =
        apart ? 0 : DoubleAt(biases.dtype(), biases.data(), (d * 2 + 1) * width + i);
    values[static_cast<std::size_t>(i)] =
        static_cast<float>(DoubleAt(biases.dtype(), biases.data(), d * 2 * width + i) + of_r);
  }
  return sum;
}

Direction DirectionOf(PackedState& state, const KernelQuery& query, const TileKernel& tile,
                      std::int64_t d) {
  const RecurrentCall& call = state.call;
  const Tensor& w = *query.Constant(kW);
  const Tensor& r = *query.Constant(kR);
  const std::int64_t width = state.width();
  Direction direction;
  direction.constants.activations = call.activations[static_cast<std::size_t>(d)];
  const Tensor* biases = query.Constant(kB);
  const Tensor bias = biases != nullptr ? InputBias(call, *biases, d) : Tensor();
  const auto place = [&](std::size_t operand, std::string_view rows) {
    return PlaceOfConstant(query, operand, fmt::format("{} of direction {}", rows, d));
  };
  direction.input = Product(state, tile, state.rows(), Slice(w, d, 0, width),
                            biases != nullptr ? &bias : nullptr, place(kW, "all"));
  const std::int64_t recurrent = state.resets_before() ? 2 * call.hidden : width;
  direction.recurrent =
      Product(state, tile, call.batch, Slice(r, d, 0, recurrent), nullptr, place(kR, "gates"));
  if (state.resets_before()) {
    direction.candidate = Product(state, tile, call.batch, Slice(r, d, recurrent, call.hidden),
                                  nullptr, place(kR, "candidate"));
  }
  if (biases != nullptr && call.op == OpKind::kGru && call.linear_before_reset) {
    for (std::int64_t j = 0; j < call.hidden; ++j) {
      direction.constants.reset_bias.push_back(static_cast<float>(
          DoubleAt(biases->dtype(), biases->data(), (d * 6 + 5) * call.hidden + j)));
    }
  }
  if (const Tensor* peepholes = query.Constant(kPeepholes)) {
    for (std::int64_t j = 0; j < 3 * call.hidden; ++j) {
      direction.constants.peepholes.push_back(static_cast<float>(
          DoubleAt(peepholes->dtype(), peepholes->data(), d * 3 * call.hidden + j)));
    }
  }
  return direction;
}

// One run over one direction.
class Pass {
 public:
  Pass(const PackedState& state, const KernelArgs& args, const Scratch& scratch, std::int64_t d)
      : s_(state),
        call_(state.call),
        args_(args),
        scratch_(scratch),
        d_(d),
        direction_(state.directions[static_cast<std::size_t>(d)]),
        row_bytes_(call_.hidden * static_cast<std::int64_t>(SizeOf(call_.dtype))) {}

  void MultiplyInputs() noexcept {
    Multiply(*direction_.input, args_.inputs[kX], scratch_.inputs, scratch_.product);
  }

  void RunSteps() noexcept {
    for (std::int64_t b = 0; b < call_.batch; ++b) {
      Begin(b);
    }
    for (std::int64_t s = 0; s < call_.steps; ++s) {
      Step(s);
    }
    for (std::int64_t b = 0; b < call_.batch; ++b) {
      End(b);
    }
  }

 private:
  // About 2 ns an element of the state and gate.
  template <typename Body>
  void ForEachRow(const Body& body) noexcept {
    const std::int64_t grain =
        std::max<std::int64_t>(1, 12'000 / std::max<std::int64_t>(s_.width(), 1));
    ParallelFor(call_.batch, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        body(b);
      }
    });
  }

  [[nodiscard]] float* Sums(std::int64_t b) const { return scratch_.sums + b * s_.width(); }

  [[nodiscard]] float* Cell(std::int64_t b) const { return scratch_.cell + b * call_.hidden; }

  [[nodiscard]] float* Work(std::int64_t b) const { return scratch_.work + b * call_.hidden * 2; }

  [[nodiscard]] std::byte* H(std::int64_t b) const { return scratch_.h + b * row_bytes_; }

  void Begin(std::int64_t b) noexcept {
    const std::int64_t row = call_.StateRow(d_, b);
    const auto bytes = static_cast<std::size_t>(row_bytes_);
    if (call_.has[kInitialH]) {
      std::memcpy(H(b), static_cast<const std::byte*>(args_.inputs[kInitialH]) + row * row_bytes_,
                  bytes);
    } else {
      std::memset(H(b), 0, bytes);
    }
    if (call_.has[kInitialC]) {
      WidenRow(call_.dtype,
               static_cast<const std::byte*>(args_.inputs[kInitialC]) + row * row_bytes_, Cell(b),
               call_.hidden);
    } else {
      std::fill_n(Cell(b), call_.hidden, 0.0F);
    }
  }

  void Step(std::int64_t s) noexcept {
    // A GRU that resets before the product has two products, each with rows of its own width.
    float* products = scratch_.sums;
    Multiply(*direction_.recurrent, scratch_.h, products, scratch_.product);
    if (!s_.resets_before()) {
      ForEachRow([&](std::int64_t b) {
        const std::int64_t length = call_.Length(args_, b);
        if (s < length) {
          RunCell(call_, direction_.constants, CellAt(b, StepOf(s, length)));
          Emit(b, StepOf(s, length));
        }
      });
      return;
    }
    ForEachRow([&](std::int64_t b) {
      const std::int64_t length = call_.Length(args_, b);
      if (s < length) {
        WidenRow(call_.dtype, H(b), Work(b), call_.hidden);
        ResetGru(call_, direction_.constants, GruAt(b, StepOf(s, length)));
        NarrowRow(call_.dtype, Work(b) + call_.hidden, scratch_.reset + b * row_bytes_,
                  call_.hidden);
      } else {
        std::memset(scratch_.reset + b * row_bytes_, 0, static_cast<std::size_t>(row_bytes_));
      }
    });
    float* candidates = products + 2 * call_.batch * call_.hidden;
    Multiply(*direction_.candidate, scratch_.reset, candidates, scratch_.product);
    ForEachRow([&](std::int64_t b) {
      const std::int64_t length = call_.Length(args_, b);
      if (s < length) {
        FinishGru(call_, direction_.constants, GruAt(b, StepOf(s, length)));
        Emit(b, StepOf(s, length));
      }
    });
  }

  [[nodiscard]] std::int64_t StepOf(std::int64_t s, std::int64_t length) const {
    return call_.reversed(d_) ? length - 1 - s : s;
  }

  [[nodiscard]] const float* Inputs(std::int64_t b, std::int64_t t) const {
    return scratch_.inputs + call_.XRow(t, b) * s_.width();
  }

  CellRow CellAt(std::int64_t b, std::int64_t t) noexcept {
    WidenRow(call_.dtype, H(b), Work(b), call_.hidden);
    return {.inputs = Inputs(b, t),
            .gates = Sums(b),
            .h = Work(b),
            .cell = Cell(b),
            .work = Work(b) + call_.hidden};
  }

  // z and r, then the candidates of all rows.
  [[nodiscard]] CellRow GruAt(std::int64_t b, std::int64_t t) const {
    return {.inputs = Inputs(b, t),
            .gates = scratch_.sums + b * 2 * call_.hidden,
            .h = Work(b),
            .cell = scratch_.sums + (2 * call_.batch + b) * call_.hidden,
            .work = Work(b) + call_.hidden};
  }

  // The new h, in float32 at Work(b), becomes the state and a row of Y.
  void Emit(std::int64_t b, std::int64_t t) noexcept {
    NarrowRow(call_.dtype, Work(b), H(b), call_.hidden);
    if (args_.outputs[0] != nullptr) {
      std::memcpy(static_cast<std::byte*>(args_.outputs[0]) + call_.YRow(t, d_, b) * row_bytes_,
                  H(b), static_cast<std::size_t>(row_bytes_));
    }
  }

  void End(std::int64_t b) noexcept {
    const std::int64_t row = call_.StateRow(d_, b);
    if (args_.outputs.size() > 1 && args_.outputs[1] != nullptr) {
      std::memcpy(static_cast<std::byte*>(args_.outputs[1]) + row * row_bytes_, H(b),
                  static_cast<std::size_t>(row_bytes_));
    }
    if (args_.outputs.size() > 2 && args_.outputs[2] != nullptr) {
      NarrowRow(call_.dtype, Cell(b), static_cast<std::byte*>(args_.outputs[2]) + row * row_bytes_,
                call_.hidden);
    }
    const std::int64_t length = call_.Length(args_, b);
    for (std::int64_t t = length; t < call_.steps && args_.outputs[0] != nullptr; ++t) {
      std::memset(static_cast<std::byte*>(args_.outputs[0]) + call_.YRow(t, d_, b) * row_bytes_, 0,
                  static_cast<std::size_t>(row_bytes_));
    }
  }

  const PackedState& s_;
  const RecurrentCall& call_;
  const KernelArgs& args_;
  const Scratch& scratch_;
  std::int64_t d_;
  const Direction& direction_;
  std::int64_t row_bytes_;
};

}  // namespace

std::string_view PackedRecurrentRefusal(const KernelQuery& query) {
  for (const std::size_t input : {kW, kR, kB, kPeepholes}) {
    if (query.Input(input) != nullptr && query.Constant(input) == nullptr) {
      return "weights are not constant";
    }
  }
  return query.outputs.at(0)->dtype == query.inputs.at(0)->dtype
             ? ""
             : "the result has another dtype than the operands";
}

std::unique_ptr<KernelState> PreparePackedRecurrent(const KernelQuery& query,
                                                    const TileKernel& tile) {
  auto state = std::make_unique<PackedState>();
  state->call = RecurrentCallOf(query);
  for (std::int64_t d = 0; d < state->call.directions; ++d) {
    state->directions.push_back(DirectionOf(*state, query, tile, d));
  }
  return state;
}

std::size_t PackedRecurrentScratch(const KernelState& state) {
  const auto& s = static_cast<const PackedState&>(state);
  return static_cast<std::size_t>(s.call.directions * Scratch(s, nullptr).bytes);
}

void RunPackedRecurrent(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const PackedState&>(*args.state);
  if (s.call.batch == 0 || s.call.hidden == 0) {
    return;
  }
  const std::int64_t bytes = Scratch(s, nullptr).bytes;
  const auto scratch_of = [&](std::int64_t d) { return Scratch(s, args.scratch + d * bytes); };
  for (std::int64_t d = 0; d < s.call.directions; ++d) {
    const Scratch scratch = scratch_of(d);
    Pass(s, args, scratch, d).MultiplyInputs();
  }
  // Steps wait for each other, directions do not: where the product of a step is too short for
  // several threads, each direction has one.
  const double step = 2.0 * static_cast<double>(s.call.batch * s.width() * s.call.hidden);
  const auto run_steps = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      const Scratch scratch = scratch_of(d);
      Pass(s, args, scratch, d).RunSteps();
    }
  };
  if (GrainForFlops(step) > 1) {
    ParallelFor(s.call.directions, GrainForFlops(step * static_cast<double>(s.call.steps)),
                run_steps);
  } else {
    run_steps(0, s.call.directions);
  }
}

}  // namespace halftone
