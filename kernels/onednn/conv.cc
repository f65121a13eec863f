#include "kernels/onednn/conv.h"

#include <algorithm>
#include <utility>

#include "kernels/cast/half_loops.h"
#include "kernels/conv/conv_call.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/conv_program.h"
#include "kernels/onednn/finish.h"
#include "kernels/onednn/library_limits.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/half_rows.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

struct LibraryConvState : ConstantsState {
  using ConstantsState::ConstantsState;

  ConvCall call;                         // as oneDNN computes it
  DType dtype = DType::kFloat32;         // of the operand as it comes
  DType result_dtype = DType::kFloat32;  // of bias and result as the caller wants them
  std::int64_t row_stride = 0;           // of the result: KernelQuery::row_stride
  ConvParts parts;
  std::vector<ConvProgram> programs;  // parallel to parts.problems
  // Bytes of the regions of a chunk's scratch: for oneDNN, for a part converted to oneDNN's dtype,
  // and for its result.
  std::int64_t library_bytes = 0;
  std::int64_t input_bytes = 0;
  std::int64_t result_bytes = 0;
  int max_chunks = 1;

  [[nodiscard]] bool converts_input() const { return dtype != call.dtype; }

  // True if oneDNN writes to the scratch, and the result of the caller is made from that.
  [[nodiscard]] bool writes_aside() const {
    return result_dtype != call.result_dtype || row_stride != 0;
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return library_bytes + input_bytes + result_bytes;
  }
};

constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kWinogradWeights = 36;  // for each 3x3 of them, with tiles of 4x4

std::int64_t BytesOf(DType dtype, std::int64_t count) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(SizeOf(dtype));
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// One spatial axis lies along the rows, which the cut goes along.
ConvCall AlongRows(ConvCall call) {
  if (call.input[1] == 1 && call.output[1] == 1 && call.kernel[1] == 1) {
    for (auto* of_axis : {&call.input, &call.output, &call.kernel, &call.stride, &call.dilation,
                          &call.pad, &call.pad_end}) {
      std::swap((*of_axis)[1], (*of_axis)[2]);
    }
  }
  return call;
}

// A 1x1 convolution without stride and padding sees pixels only: each becomes a row, so that parts
// divide evenly.
ConvCall Folded(const ConvCall& stated) {
  ConvCall call = AlongRows(stated);
  if (call.Taps() == 1 && call.stride == decltype(call.stride){1, 1, 1} &&
      call.input == call.output) {
    call.input[1] *= call.batch * call.input[2];
    call.output[1] = call.input[1];
    call.input[2] = call.output[2] = 1;
    call.batch = 1;
  }
  return call;
}

// The problem that oneDNN gets.
ConvCall LibraryCallOf(const KernelQuery& query, const LibraryConvForm& form) {
  ConvCall call = Folded(ConvCallOf(query));
  if (call.dtype == DType::kFloat16) {
    call.dtype = form.float16_as;
    call.result_dtype = DType::kFloat32;
  }
  call.result_dtype = LibraryResultOf(call.epilogue, call.result_dtype);
  return call;
}

// Tiles of Winograd's method are 2 or 4 rows high: bands that end inside of one compute it twice.
// Every part reads all weights: a part smaller than the weights would wait for them. `aside`:
// oneDNN reads from the scratch or writes there.
ConvParts CutOf(const ConvCall& call, const LibraryConvForm& form, bool aside) {
  const bool winograd = form.algorithm == LibraryAlgorithm::kWinograd;
  // A function takes longer than the memory that it waits for: cutting for it gains nothing and
  // makes more calls (EfficientNet-B0: 1.04 of the time, Zen 4).
  const bool clamps = call.epilogue.function == nullptr && !call.epilogue.IsEmpty();
  const bool in_cache = aside || clamps;
  const std::int64_t weights = call.group * call.in_channels * call.out_channels *
                               (winograd ? kWinogradWeights : call.Taps()) *
                               static_cast<std::int64_t>(SizeOf(call.dtype));
  return PartsOf(call, {.threads = MaxChunks(),
                        .row_multiple = winograd ? 4 : 1,
                        .part_bytes = in_cache ? std::max(kFinishedPartBytes, weights) : 0});
}

std::string_view RefusalOfOperands(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const TensorType& w = *query.inputs.at(1);
  const DType result = query.outputs.at(0)->dtype;
  if (!query.layout.channels_last) {
    return "channels are first";
  }
  if (query.Constant(1) == nullptr) {
    return "weights are not constant";
  }
  if (query.Input(2) != nullptr && query.Constant(2) == nullptr) {
    return "the bias is not constant";
  }
  if (result != DType::kFloat32 && result != x.dtype) {
    return "the result has a third dtype";
  }
  if (x.shape.ElementCount() == 0 || w.shape.ElementCount() == 0) {
    return "there is nothing to sum";
  }
  return "";
}

// The bfloat16 code multiplies channels in pairs: an odd last one is paired with the next pixel's
// first, times a zero weight. That lets its infinity in, and behind the last pixel reads what is
// not ours. (Depthwise code does not.)
bool PairsLeaveThePixel(const ConvCall& call) {
  const bool depthwise = call.in_channels == 1 && call.out_channels == 1;
  return call.dtype == DType::kBFloat16 && call.in_channels % 2 != 0 && !depthwise;
}

// oneDNN keeps the sums of neighbouring pixels of a row in registers: with fewer than this there
// are not enough of them to hide the latency of a multiplication.
constexpr std::int64_t kPixelsInARow = 4;

bool PaddingIsWide(const ConvCall& call) {
  for (const std::size_t axis : {1, 2}) {
    const std::int64_t range = (call.kernel[axis] - 1) * call.dilation[axis] + 1;
    if (call.pad[axis] >= range || call.pad_end[axis] >= range) {
      return true;
    }
  }
  return false;
}

// Packed weights, shared by programs that want the same layout.
dnnl::memory PackedFor(const LibraryConvState& state, const KernelQuery& query,
                       const dnnl::memory::desc& wanted) {
  for (const ConvProgram& program : state.programs) {
    if (program.weights().get_desc() == wanted) {
      return program.weights();
    }
  }
  const dnnl::memory::desc plain = PlainWeights(state.call);
  return PackOnce(
      PlaceOfConstant(query, 1), [&] { return "library " + KeyOf(plain) + KeyOf(wanted); },
      [&] {
        const Tensor weights = Convert(*query.Constant(1), state.call.dtype);
        return Relaid(plain, weights.data(), wanted);
      });
}

dnnl::memory BiasOf(const LibraryConvState& state) {
  const ConvCall& call = state.call;
  if (!call.has_bias) {
    return {};
  }
  const std::int64_t channels = call.group * call.out_channels;
  dnnl::memory bias({{channels}, LibraryTypeOf(DType::kFloat32), dnnl::memory::format_tag::x},
                    LibraryEngine());
  WidenRow(state.result_dtype, state.constants.Input(KernelArgs{}, 2),
           static_cast<float*>(bias.get_data_handle()), channels);
  return bias;
}

// The pixels of a part as oneDNN wants them.
const std::byte* InputOf(const LibraryConvState& state, const ConvPart& part, const std::byte* x,
                         std::byte* scratch) {
  const std::int64_t channels = state.call.group * state.call.in_channels;
  const std::byte* pixels =
      x + part.input_pixel * channels * static_cast<std::int64_t>(SizeOf(state.dtype));
  if (!state.converts_input()) {
    return pixels;
  }
  const std::int64_t count =
      state.parts.problems[part.problem].input_rows * state.call.input[2] * channels;
  HalfLoopFor(state.dtype, state.call.dtype)(pixels, scratch, count);
  return scratch;
}

// The tensors of one run().
struct Tensors {
  const std::byte* x;
  const std::byte* residual;  // null: none
  std::byte* y;
};

void RunPart(const LibraryConvState& state, const ConvPart& part, const Tensors& tensors,
             std::byte* scratch) {
  const ConvCall& call = state.call;
  const std::int64_t out_channels = call.group * call.out_channels;
  const std::int64_t pixel_bytes =
      out_channels * static_cast<std::int64_t>(SizeOf(state.result_dtype));
  const std::int64_t stride_bytes =
      state.row_stride == 0
          ? pixel_bytes
          : state.row_stride * static_cast<std::int64_t>(SizeOf(state.result_dtype));
  std::byte* const pixels = tensors.y + part.output_pixel * stride_bytes;
  std::byte* const converted = scratch + state.library_bytes;
  std::byte* const result = state.writes_aside() ? converted + state.input_bytes : pixels;
  const std::int64_t count =
      state.parts.problems[part.problem].output_rows * call.output[2] * out_channels;
  state.programs[part.problem].Run(InputOf(state, part, tensors.x, converted), result, scratch);
  if (state.writes_aside() || !call.epilogue.IsEmpty()) {
    RunEpilogue({.source_dtype = call.result_dtype,
                 .source = result,
                 .dtype = state.result_dtype,
                 .target = pixels,
                 .residual = tensors.residual != nullptr
                                 ? tensors.residual + part.output_pixel * pixel_bytes
                                 : nullptr,
                 .count = count,
                 .slopes = call.epilogue.SlopesFrom(0),
                 .row = out_channels,
                 .row_stride = state.row_stride},
                call.epilogue);
  }
}

// Scratch for the parts of `problem`.
void ReserveFor(const ConvProblem& problem, LibraryConvState& state) {
  const ConvCall& call = state.call;
  if (state.converts_input()) {
    state.input_bytes = std::max(
        state.input_bytes,
        BytesOf(call.dtype, problem.input_rows * call.input[2] * call.group * call.in_channels));
  }
  if (state.writes_aside()) {
    state.result_bytes = std::max(state.result_bytes,
                                  BytesOf(call.result_dtype, problem.output_rows * call.output[2] *
                                                                 call.group * call.out_channels));
  }
}

}  // namespace

std::string_view LibraryConvRefusal(const KernelQuery& query, const LibraryConvForm& form) {
  if (const std::string_view reason = RefusalOfOperands(query); !reason.empty()) {
    return reason;
  }
  if (const std::string_view reason = RefusalOfExtents(ConvCallOf(query)); !reason.empty()) {
    return reason;
  }
  const ConvCall call = LibraryCallOf(query, form);
  if (const std::string_view reason = RefusalOfExtents(call); !reason.empty()) {
    return reason;  // folded, a batch became rows
  }
  if (PaddingIsWide(call)) {
    return "padding is as wide as the window";
  }
  const std::int64_t row = call.output[IsColumn(call) ? 1 : 2];
  if (call.Taps() > 1 && row < kPixelsInARow && call.OutputPixels() > kPixelsInARow) {
    return "there are few pixels in a row";
  }
  if (PairsLeaveThePixel(call)) {
    return "the number of channels is odd";
  }
  const OneLibraryThread one;
  const bool aside = call.dtype != query.inputs.at(0)->dtype || query.row_stride != 0;
  // Growth by Winograd's method: tiles of 36 for 9 weights, of 16 for 4 pixels.
  const std::int64_t growth = form.algorithm == LibraryAlgorithm::kWinograd ? 4 : 1;
  for (const ConvProblem& problem : CutOf(call, form, aside).problems) {
    if (const std::string_view reason = RefusalOfBytes(call, problem, growth); !reason.empty()) {
      return reason;
    }
    if (const std::string_view reason =
            RefusalOfPrimitive([&] { return DescribeConv(call, problem, form.algorithm); });
        !reason.empty()) {
      return reason;
    }
  }
  return "";
}

namespace {

std::unique_ptr<KernelState> StateOf(const KernelQuery& query, const LibraryConvForm& form) {
  auto state = std::make_unique<LibraryConvState>(query);
  state->call = LibraryCallOf(query, form);
  state->dtype = query.inputs.at(0)->dtype;
  state->result_dtype = query.outputs.at(0)->dtype;
  state->row_stride = query.row_stride;
  state->parts = CutOf(state->call, form, state->converts_input() || query.row_stride != 0);
  state->max_chunks = MaxChunks();
  const OneLibraryThread one;
  const dnnl::memory bias = BiasOf(*state);
  for (const ConvProblem& problem : state->parts.problems) {
    const auto description = DescribeConv(state->call, problem, form.algorithm);
    const dnnl::memory weights = PackedFor(*state, query, description.weights_desc());
    state->programs.emplace_back(state->call, problem, description, weights, bias);
    state->library_bytes = std::max(state->library_bytes, state->programs.back().scratch_bytes());
    ReserveFor(problem, *state);
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

}  // namespace

std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query,
                                                const LibraryConvForm& form) {
  return WithLibraryErrors([&] { return StateOf(query, form); });
}

std::size_t LibraryConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const LibraryConvState&>(state);
  return static_cast<std::size_t>(conv.chunk_bytes() * conv.max_chunks);
}

void RunLibraryConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LibraryConvState&>(*args.state);
  const Tensors tensors{
      .x = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .residual = static_cast<const std::byte*>(state.constants.Input(args, kResidualOperand)),
      .y = static_cast<std::byte*>(args.outputs[0])};
  ForEachChunk(static_cast<std::int64_t>(state.parts.parts.size()),
               GrainForFlops(state.parts.flops), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 const OneLibraryThread one;
                 for (std::int64_t part = begin; part < end; ++part) {
                   RunPart(state, state.parts.parts[static_cast<std::size_t>(part)], tensors,
                           args.scratch + chunk * state.chunk_bytes());
                 }
               });
}

}  // namespace halftone
