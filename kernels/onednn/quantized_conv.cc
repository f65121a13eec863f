#include "kernels/onednn/quantized_conv.h"

#include <algorithm>

#include "kernels/gemm/chunks.h"
#include "kernels/onednn/byte_terms.h"
#include "kernels/onednn/conv_parts.h"
#include "kernels/onednn/library.h"
#include "kernels/onednn/library_limits.h"
#include "kernels/packed_weights.h"
#include "kernels/quantized/byte_result.h"

namespace halftone {
namespace {

using Description = dnnl::convolution_forward::primitive_desc;
using Layout = dnnl::memory::desc;
using Type = dnnl::memory::data_type;
using Format = dnnl::memory::format_tag;

// Bytes of the sums of a part, which stay in the L2 until they are rounded.
constexpr std::int64_t kPartBytes = std::int64_t{256} * 1024;

// A call of the library takes about a microsecond, in which a core makes so many products.
constexpr std::int64_t kFewProducts = 100'000;

struct Program {
  dnnl::convolution_forward primitive;
  Layout x, sums, scratchpad;
  dnnl::memory weights;
};

struct LibraryByteConvState final : KernelState {
  explicit LibraryByteConvState(const KernelQuery& query)
      : constants(query), y_dtype(query.outputs.at(0)->dtype), epilogue(query) {}

  ConvCall call;
  ConstantInputs constants;
  DType y_dtype;
  ByteEpilogueState epilogue;
  ByteTerms terms;
  ConvParts parts;
  std::vector<Program> programs;  // parallel to parts.problems
  std::int64_t scratchpad_bytes = 0;
  std::int64_t sums_bytes = 0;
  int max_chunks = 1;

  [[nodiscard]] std::int64_t chunk_bytes() const { return scratchpad_bytes + sums_bytes; }
};

// The call that oneDNN computes: its results are the int32 sums.
ConvCall CallOf(const KernelQuery& query) {
  ConvCall call = QuantizedConvCall(query);
  call.result_dtype = DType::kInt32;
  return call;
}

ConvParts CutOf(const ConvCall& call) {
  return PartsOf(call, {.threads = MaxChunks(), .row_multiple = 1, .part_bytes = kPartBytes});
}

Layout WeightsLayout(const ConvCall& call, Format plain, Format grouped) {
  if (call.group == 1) {
    return {{call.out_channels, call.in_channels, call.kernel[1], call.kernel[2]}, Type::s8, plain};
  }
  return {{call.group, call.out_channels, call.in_channels, call.kernel[1], call.kernel[2]},
          Type::s8,
          grouped};
}

Description Describe(const KernelQuery& query, const ConvCall& call, const ConvProblem& problem) {
  const OperandPlaces places = PlacesOf(query.op);
  const DType dtype = query.Input(places.a)->dtype;
  const Layout x({1, call.group * call.in_channels, problem.input_rows, call.input[2]},
                 dtype == DType::kInt8 ? Type::s8 : Type::u8, Format::nhwc);
  const Layout sums({1, call.group * call.out_channels, problem.output_rows, call.output[2]},
                    Type::s32, Format::nhwc);
  dnnl::primitive_attr attributes = LibraryAttributes();
  const Tensor* zero = query.Constant(places.a_zero);
  if (zero != nullptr && ZeroPointAt(dtype, zero->data()) != 0) {
    attributes.set_zero_points(DNNL_ARG_SRC, 0, {ZeroPointAt(dtype, zero->data())});
  }
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, x,
      WeightsLayout(call, Format::any, Format::any), sums, {call.stride[1], call.stride[2]},
      {call.dilation[1] - 1, call.dilation[2] - 1}, {problem.pad_top, call.pad[2]},
      {problem.pad_bottom, UsedPadEnd(call, 2)});
  return {desc, attributes, LibraryEngine()};
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

void RunPart(const LibraryByteConvState& state, const ConvPart& part, const std::byte* x,
             std::byte* y, const MaybeByteEpilogue& epilogue, std::byte* scratch) {
  const ConvCall& call = state.call;
  const Program& program = state.programs[part.problem];
  const std::int64_t channels = call.group * call.out_channels;
  const std::int64_t element = part.output_pixel * channels;
  std::byte* sums = scratch + state.scratchpad_bytes;
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_SRC,
       .layout = &program.x,
       .data = const_cast<std::byte*>(x + part.input_pixel * call.group * call.in_channels)},
      {.name = DNNL_ARG_WEIGHTS, .prepared = &program.weights},
      {.name = DNNL_ARG_DST, .layout = &program.sums, .data = sums},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &program.scratchpad, .data = scratch}};
  CallLibrary(program.primitive, operands);
  StoreByteTile(
      reinterpret_cast<const std::int32_t*>(sums),
      {.y = y + element * static_cast<std::int64_t>(SizeOf(state.y_dtype)),
       .dtype = state.y_dtype,
       .sums_stride = channels,
       .row_stride = channels,
       .rows = static_cast<int>(state.parts.problems[part.problem].output_rows * call.output[2]),
       .columns = static_cast<int>(channels),
       .offset = state.terms.offset.data(),
       .multiplier = state.terms.multiplier.data(),
       .y_zero = state.terms.y_zero,
       .epilogue = Later(epilogue, element)});
}

}  // namespace

std::string_view LibraryByteConvRefusal(const KernelQuery& query) {
  if (!query.layout.channels_last) {
    return "channels are first";
  }
  if (const std::string_view reason = RefusalOfByteOperands(query); !reason.empty()) {
    return reason;
  }
  const OperandPlaces places = PlacesOf(query.op);
  if (ElementsOf(query, places.a) == 0 || ElementsOf(query, places.b) == 0) {
    return "there is nothing to sum";
  }
  if (const std::string_view reason = RefusalOfScales(query, query.Input(places.b)->shape[0]);
      !reason.empty()) {
    return reason;
  }
  const ConvCall call = CallOf(query);
  if (const std::string_view reason = RefusalOfExtents(call); !reason.empty()) {
    return reason;
  }
  if (PaddingIsWide(call)) {
    return "padding is as wide as the window";
  }
  const OneLibraryThread one;
  for (const ConvProblem& problem : CutOf(call).problems) {
    if (const std::string_view reason = RefusalOfBytes(call, problem, 1); !reason.empty()) {
      return reason;
    }
    if (const std::string_view reason =
            RefusalOfPrimitive([&] { return Describe(query, call, problem); });
        !reason.empty()) {
      return reason;
    }
  }
  return "";
}

std::string_view LibraryByteConvSlower(const KernelQuery& query) {
  const ConvCall call = CallOf(query);
  if (call.Taps() == 1 && call.group == 1 && call.stride[1] == 1 && call.stride[2] == 1) {
    return "the window is one pixel";
  }
  const std::int64_t products = call.batch * call.OutputPixels() * call.group * call.out_channels *
                                call.in_channels * call.Taps();
  return products < kFewProducts ? "the call takes longer than its products" : "";
}

namespace {

std::unique_ptr<KernelState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<LibraryByteConvState>(query);
  state->call = CallOf(query);
  const ConvCall& call = state->call;
  state->terms =
      ByteTermsOf(query, call.in_channels * call.Taps(), call.group * call.out_channels, {});
  state->parts = CutOf(call);
  state->max_chunks = MaxChunks();
  const Tensor& w = *query.Constant(PlacesOf(query.op).b);
  const OneLibraryThread one;
  for (const ConvProblem& problem : state->parts.problems) {
    const Description description = Describe(query, call, problem);
    Program program{.primitive = dnnl::convolution_forward(description),
                    .x = description.src_desc(),
                    .sums = description.dst_desc(),
                    .scratchpad = description.scratchpad_desc()};
    for (const Program& other : state->programs) {
      if (other.weights.get_desc() == description.weights_desc()) {
        program.weights = other.weights;
      }
    }
    if (!program.weights) {
      const Layout plain = WeightsLayout(call, Format::oihw, Format::goihw);
      const Layout wanted = description.weights_desc();
      program.weights = PackOnce(
          PlaceOfConstant(query, PlacesOf(query.op).b),
          [&] { return "library " + KeyOf(plain) + KeyOf(wanted); },
          [&] { return Relaid(plain, w.data(), wanted); });
    }
    state->scratchpad_bytes =
        std::max(state->scratchpad_bytes,
                 RoundUpToLibrary(static_cast<std::int64_t>(program.scratchpad.get_size())));
    // A vector behind the end, which the last row reads.
    state->sums_bytes = std::max(
        state->sums_bytes,
        RoundUpToLibrary(static_cast<std::int64_t>(program.sums.get_size())) + kLibraryAlignment);
    state->programs.push_back(std::move(program));
  }
  return state;
}

}  // namespace

std::unique_ptr<KernelState> PrepareLibraryByteConv(const KernelQuery& query) {
  return WithLibraryErrors([&] { return StateOf(query); });
}

std::size_t LibraryByteConvScratchBytes(const KernelState& state) {
  const auto& conv = static_cast<const LibraryByteConvState&>(state);
  return static_cast<std::size_t>(conv.chunk_bytes() * conv.max_chunks);
}

void RunLibraryByteConv(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LibraryByteConvState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(state.constants.Input(args, 0));
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const MaybeByteEpilogue epilogue = state.epilogue.Of(state.constants, args);
  ForEachChunk(static_cast<std::int64_t>(state.parts.parts.size()),
               GrainForFlops(state.parts.flops / 4), state.max_chunks,  // 4: of float32
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 const OneLibraryThread one;
                 for (std::int64_t part = begin; part < end; ++part) {
                   RunPart(state, state.parts.parts[static_cast<std::size_t>(part)], x, y, epilogue,
                           args.scratch + chunk * state.chunk_bytes());
                 }
               });
}

}  // namespace halftone
