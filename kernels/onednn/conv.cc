#include "kernels/onednn/conv.h"

#include <algorithm>
#include <utility>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/half_rows.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/clamp.h"
#include "kernels/onednn/conv_program.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

struct LibraryConvState : KernelState {
  explicit LibraryConvState(const KernelQuery& query) : call(ConvCallOf(query)), constants(query) {}

  ConvCall call;
  ConstantInputs constants;
  ConvParts parts;
  std::vector<ConvProgram> programs;  // parallel to parts.problems
  std::int64_t chunk_bytes = 0;       // of scratch
  int max_chunks = 1;
};

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

// Tiles of Winograd's method are 2 or 4 rows high: bands that end inside of one compute it twice.
ConvParts CutOf(const ConvCall& call, LibraryAlgorithm algorithm) {
  return PartsOf(call, {.threads = MaxChunks(),
                        .row_multiple = algorithm == LibraryAlgorithm::kWinograd ? 4 : 1,
                        .part_bytes = IsBounded(call.activation) ? kClampedPartBytes : 0});
}

std::string_view RefusalOfOperands(const KernelQuery& query) {
  const TensorType& x = *query.inputs.at(0);
  const TensorType& w = *query.inputs.at(1);
  const DType result = query.outputs.at(0)->dtype;
  if (!IsChannelsLast(*query.attributes)) {
    return "channels are first";
  }
  if (query.Constant(1) == nullptr) {
    return "weights are not constant";
  }
  if (query.Input(2) != nullptr && query.Constant(2) == nullptr) {
    return "the bias is not constant";
  }
  if (result != DType::kFloat32 && result != x.dtype) {
    return "the result is in a third type";
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

// Winograd's method has 16 or 36 weights for 9: with fewer pixels than this, reading them takes
// longer than the direct way (7x7 of 512 channels: twice as long; from 14x14 on it is twice as
// fast).
constexpr std::int64_t kWinogradPixels = 100;

// With few channels, transforming pixels takes longer than the products saved (12 channels: 1.2
// times as long as the direct way; from 16 on it is twice as fast).
constexpr std::int64_t kWinogradChannels = 16;

// The library keeps the sums of neighbouring pixels of a row in registers: with fewer than this
// there are not enough of them to hide the latency of a multiplication.
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
dnnl::memory PackedFor(const LibraryConvState& state, const dnnl::memory::desc& wanted) {
  for (const ConvProgram& program : state.programs) {
    if (program.weights().get_desc() == wanted) {
      return program.weights();
    }
  }
  return Relaid(PlainWeights(state.call), state.constants.Input(KernelArgs{}, 1), wanted);
}

dnnl::memory BiasOf(const LibraryConvState& state) {
  const ConvCall& call = state.call;
  if (!call.has_bias) {
    return {};
  }
  const std::int64_t channels = call.group * call.out_channels;
  dnnl::memory bias({{channels}, LibraryTypeOf(DType::kFloat32), dnnl::memory::format_tag::x},
                    LibraryEngine());
  WidenRow(call.result_dtype, state.constants.Input(KernelArgs{}, 2),
           static_cast<float*>(bias.get_data_handle()), channels);
  return bias;
}

void RunPart(const LibraryConvState& state, const ConvPart& part, const std::byte* x, std::byte* y,
             std::byte* scratch) {
  const ConvCall& call = state.call;
  const std::int64_t out_channels = call.group * call.out_channels;
  std::byte* result =
      y + part.output_pixel * out_channels * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  state.programs[part.problem].Run(x + part.input_pixel * call.group * call.in_channels *
                                           static_cast<std::int64_t>(SizeOf(call.dtype)),
                                   result, scratch);
  if (IsBounded(call.activation)) {
    ClampInPlace(call.result_dtype, result,
                 state.parts.problems[part.problem].output_rows * call.output[2] * out_channels,
                 call.activation);
  }
}

}  // namespace

std::string_view LibraryConvRefusal(const KernelQuery& query, LibraryAlgorithm algorithm) {
  if (const std::string_view reason = RefusalOfOperands(query); !reason.empty()) {
    return reason;
  }
  const ConvCall call = Folded(ConvCallOf(query));
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
  for (const ConvProblem& problem : CutOf(call, algorithm).problems) {
    try {
      if (!IsGeneratedCode(DescribeConv(call, problem, algorithm).impl_info_str())) {
        return "the library has no generated code for it";
      }
    } catch (const dnnl::error&) {
      return "the library does not have it";
    }
  }
  return "";
}

std::string_view LibraryWinogradSlower(const KernelQuery& query) {
  const ConvCall call = ConvCallOf(query);
  if (call.in_channels < kWinogradChannels) {
    return "there are few channels";
  }
  return call.OutputPixels() < kWinogradPixels ? "there are few pixels" : "";
}

std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query,
                                                LibraryAlgorithm algorithm) {
  auto state = std::make_unique<LibraryConvState>(query);
  state->call = Folded(state->call);
  state->parts = CutOf(state->call, algorithm);
  state->max_chunks = MaxChunks();
  const OneLibraryThread one;
  const dnnl::memory bias = BiasOf(*state);
  for (const ConvProblem& problem : state->parts.problems) {
    const auto description = DescribeConv(state->call, problem, algorithm);
    const dnnl::memory weights = PackedFor(*state, description.weights_desc());
    state->programs.emplace_back(state->call, problem, description, weights, bias);
    state->chunk_bytes = std::max(state->chunk_bytes, state->programs.back().scratch_bytes());
  }
  return state;
}

std::size_t LibraryConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const LibraryConvState&>(state);
  return static_cast<std::size_t>(conv.chunk_bytes * conv.max_chunks);
}

void RunLibraryConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LibraryConvState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  ForEachChunk(static_cast<std::int64_t>(state.parts.parts.size()),
               GrainForFlops(state.parts.flops), state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 const OneLibraryThread one;
                 for (std::int64_t part = begin; part < end; ++part) {
                   RunPart(state, state.parts.parts[static_cast<std::size_t>(part)], x, y,
                           args.scratch + chunk * state.chunk_bytes);
                 }
               });
}

}  // namespace halftone
