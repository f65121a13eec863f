#include "kernels/onednn/conv.h"

#include <algorithm>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/half_rows.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/clamp.h"
#include "kernels/onednn/conv_parts.h"
#include "kernels/onednn/library.h"
#include "src/ir/layout.h"

namespace halftone {
namespace {

using Description = dnnl::convolution_forward::primitive_desc;
using Layout = dnnl::memory::desc;
using Format = dnnl::memory::format_tag;

constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// One ConvProblem, ready to run.
struct Program {
  dnnl::convolution_forward primitive;
  Layout input, output, scratchpad;
  dnnl::memory weights;
};

struct LibraryConvState : KernelState {
  explicit LibraryConvState(const KernelQuery& query) : call(ConvCallOf(query)), constants(query) {}

  ConvCall call;
  ConstantInputs constants;
  ConvParts parts;
  std::vector<Program> programs;  // parallel to parts.problems
  dnnl::memory bias;
  std::int64_t scratchpad_bytes = 0;
  int max_chunks = 1;
};

// A 1x1 convolution without stride and padding sees pixels only: the batch becomes rows.
ConvCall Folded(ConvCall call) {
  if (call.Taps() == 1 && call.stride == decltype(call.stride){1, 1, 1} &&
      call.input == call.output) {
    call.input[1] *= call.batch;
    call.output[1] *= call.batch;
    call.batch = 1;
  }
  return call;
}

Layout WeightsLayout(const ConvCall& call, Format plain, Format grouped) {
  const auto type = LibraryTypeOf(call.dtype);
  if (call.group == 1) {
    return {{call.out_channels, call.in_channels, call.kernel[1], call.kernel[2]}, type, plain};
  }
  return {{call.group, call.out_channels, call.in_channels, call.kernel[1], call.kernel[2]},
          type,
          grouped};
}

Description Describe(const ConvCall& call, const ConvProblem& problem) {
  const std::int64_t out_channels = call.group * call.out_channels;
  const Layout x({1, call.group * call.in_channels, problem.input_rows, call.input[2]},
                 LibraryTypeOf(call.dtype), Format::nhwc);
  const Layout y({1, out_channels, problem.output_rows, call.output[2]},
                 LibraryTypeOf(call.result_dtype), Format::nhwc);
  const Layout weights = WeightsLayout(call, Format::any, Format::any);
  const Layout bias =
      call.has_bias ? Layout({out_channels}, LibraryTypeOf(DType::kFloat32), Format::x) : Layout();
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, x, weights, bias, y,
      {call.stride[1], call.stride[2]}, {call.dilation[1] - 1, call.dilation[2] - 1},
      {problem.pad_top, call.pad[2]}, {problem.pad_bottom, UsedPadEnd(call, 2)});
  return {desc, LibraryAttributes(), LibraryEngine()};
}

ConvParts CutOf(const ConvCall& call) {
  return PartsOf(call, {.threads = MaxChunks(),
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
dnnl::memory PackedFor(const LibraryConvState& state, const Layout& wanted) {
  for (const Program& program : state.programs) {
    if (program.weights.get_desc() == wanted) {
      return program.weights;
    }
  }
  const KernelArgs none;
  return Relaid(WeightsLayout(state.call, Format::oihw, Format::goihw),
                state.constants.Input(none, 1), wanted);
}

dnnl::memory BiasOf(const LibraryConvState& state) {
  const ConvCall& call = state.call;
  const std::int64_t channels = call.group * call.out_channels;
  dnnl::memory bias({{channels}, LibraryTypeOf(DType::kFloat32), Format::x}, LibraryEngine());
  const KernelArgs none;
  WidenRow(call.result_dtype, state.constants.Input(none, 2),
           static_cast<float*>(bias.get_data_handle()), channels);
  return bias;
}

void RunPart(const LibraryConvState& state, const ConvPart& part, const std::byte* x, std::byte* y,
             std::byte* scratchpad) {
  const ConvCall& call = state.call;
  const Program& program = state.programs[part.problem];
  const std::int64_t out_channels = call.group * call.out_channels;
  const std::byte* input = x + part.input_pixel * call.group * call.in_channels *
                                   static_cast<std::int64_t>(SizeOf(call.dtype));
  std::byte* result =
      y + part.output_pixel * out_channels * static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_SRC, .layout = &program.input, .data = const_cast<std::byte*>(input)},
      {.name = DNNL_ARG_WEIGHTS, .prepared = &program.weights},
      {.name = DNNL_ARG_DST, .layout = &program.output, .data = result},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &program.scratchpad, .data = scratchpad},
      {.name = DNNL_ARG_BIAS, .prepared = &state.bias}};
  CallLibrary(program.primitive, std::span(operands).first(call.has_bias ? 5 : 4));
  if (IsBounded(call.activation)) {
    ClampInPlace(call.result_dtype, result,
                 state.parts.problems[part.problem].output_rows * call.output[2] * out_channels,
                 call.activation);
  }
}

}  // namespace

std::string_view LibraryConvRefusal(const KernelQuery& query) {
  if (const std::string_view reason = RefusalOfOperands(query); !reason.empty()) {
    return reason;
  }
  const ConvCall call = Folded(ConvCallOf(query));
  if (PaddingIsWide(call)) {
    return "padding is as wide as the window";
  }
  if (PairsLeaveThePixel(call)) {
    return "the number of channels is odd";
  }
  const OneLibraryThread one;
  for (const ConvProblem& problem : CutOf(call).problems) {
    try {
      if (!IsGeneratedCode(Describe(call, problem).impl_info_str())) {
        return "the library has no generated code for it";
      }
    } catch (const dnnl::error&) {
      return "the library does not have it";
    }
  }
  return "";
}

std::unique_ptr<KernelState> PrepareLibraryConv(const KernelQuery& query) {
  auto state = std::make_unique<LibraryConvState>(query);
  state->call = Folded(state->call);
  state->parts = CutOf(state->call);
  state->max_chunks = MaxChunks();
  const OneLibraryThread one;
  for (const ConvProblem& problem : state->parts.problems) {
    const Description description = Describe(state->call, problem);
    state->programs.push_back({.primitive = dnnl::convolution_forward(description),
                               .input = description.src_desc(),
                               .output = description.dst_desc(),
                               .scratchpad = description.scratchpad_desc(),
                               .weights = PackedFor(*state, description.weights_desc())});
    state->scratchpad_bytes =
        std::max(state->scratchpad_bytes,
                 RoundUp(static_cast<std::int64_t>(description.scratchpad_desc().get_size())));
  }
  if (state->call.has_bias) {
    state->bias = BiasOf(*state);
  }
  return state;
}

std::size_t LibraryConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const LibraryConvState&>(state);
  return static_cast<std::size_t>(conv.scratchpad_bytes * conv.max_chunks);
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
                           args.scratch + chunk * state.scratchpad_bytes);
                 }
               });
}

}  // namespace halftone
