#include "kernels/onednn/conv_program.h"

#include <algorithm>

namespace halftone {
namespace {

using Description = dnnl::convolution_forward::primitive_desc;
using Layout = dnnl::memory::desc;
using Format = dnnl::memory::format_tag;

constexpr std::int64_t kAlignment = 64;

std::int64_t BytesOf(const Layout& layout) {
  const auto bytes = static_cast<std::int64_t>(layout.get_size());
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

using Dims = dnnl::memory::dims;

// The two spatial axes as they are passed to oneDNN.
Dims Spatial(const ConvCall& call, std::int64_t along_rows, std::int64_t along_columns) {
  return IsColumn(call) ? Dims{along_columns, along_rows} : Dims{along_rows, along_columns};
}

Dims Joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Layout WeightsLayout(const ConvCall& call, Format plain, Format grouped) {
  const auto type = LibraryTypeOf(call.dtype);
  const Dims kernel = Spatial(call, call.kernel[1], call.kernel[2]);
  if (call.group == 1) {
    return {Joined({call.out_channels, call.in_channels}, kernel), type, plain};
  }
  return {Joined({call.group, call.out_channels, call.in_channels}, kernel), type, grouped};
}

Layout InputLayout(const ConvCall& call, const ConvProblem& problem, Format format) {
  return {
      Joined({1, call.group * call.in_channels}, Spatial(call, problem.input_rows, call.input[2])),
      LibraryTypeOf(call.dtype), format};
}

Layout OutputLayout(const ConvCall& call, const ConvProblem& problem, Format format) {
  return {Joined({1, call.group * call.out_channels},
                 Spatial(call, problem.output_rows, call.output[2])),
          LibraryTypeOf(call.result_dtype), format};
}

LibraryCopy CopyOf(const Layout& from, const Layout& to) {
  LibraryCopy result{.copy = {}, .from = from, .to = to, .scratchpad = {}};
  if (from != to) {
    const dnnl::reorder::primitive_desc description(LibraryEngine(), from, LibraryEngine(), to,
                                                    LibraryAttributes());
    result.copy = dnnl::reorder(description);
    result.scratchpad = description.scratchpad_desc();
  }
  return result;
}

// Scratch for the blocked side of a copy.
std::int64_t BlockedBytes(const LibraryCopy& copy, const Layout& blocked) {
  return copy.copy ? BytesOf(blocked) : 0;
}

void CallCopy(const LibraryCopy& copy, const std::byte* from, std::byte* to,
              std::byte* scratchpad) {
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_FROM, .layout = &copy.from, .data = const_cast<std::byte*>(from)},
      {.name = DNNL_ARG_TO, .layout = &copy.to, .data = to},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &copy.scratchpad, .data = scratchpad}};
  CallLibrary(copy.copy, operands);
}

}  // namespace

Description DescribeConv(const ConvCall& call, const ConvProblem& problem,
                         LibraryAlgorithm algorithm) {
  const bool winograd = algorithm == LibraryAlgorithm::kWinograd;
  const Format format = winograd ? Format::any : Format::nhwc;
  const Layout bias = call.has_bias ? Layout({call.group * call.out_channels},
                                             LibraryTypeOf(DType::kFloat32), Format::x)
                                    : Layout();
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference,
      winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct,
      InputLayout(call, problem, format), WeightsLayout(call, Format::any, Format::any), bias,
      OutputLayout(call, problem, format), Spatial(call, call.stride[1], call.stride[2]),
      Spatial(call, call.dilation[1] - 1, call.dilation[2] - 1),
      Spatial(call, problem.pad_top, call.pad[2]),
      Spatial(call, problem.pad_bottom, UsedPadEnd(call, 2)));
  return {desc, LibraryAttributes(), LibraryEngine()};
}

dnnl::memory::desc PlainWeights(const ConvCall& call) {
  return WeightsLayout(call, Format::oihw, Format::goihw);
}

ConvProgram::ConvProgram(const ConvCall& call, const ConvProblem& problem,
                         const Description& description, const dnnl::memory& weights,
                         const dnnl::memory& bias)
    : primitive_(description),
      scratchpad_(description.scratchpad_desc()),
      input_(CopyOf(InputLayout(call, problem, Format::nhwc), description.src_desc())),
      output_(CopyOf(description.dst_desc(), OutputLayout(call, problem, Format::nhwc))),
      weights_(weights),
      bias_(bias) {}

std::int64_t ConvProgram::scratchpad_bytes() const {
  return std::max({BytesOf(scratchpad_), BytesOf(input_.scratchpad), BytesOf(output_.scratchpad)});
}

std::int64_t ConvProgram::scratch_bytes() const {
  return scratchpad_bytes() + BlockedBytes(input_, input_.to) + BlockedBytes(output_, output_.from);
}

void ConvProgram::Run(const std::byte* x, std::byte* y, std::byte* scratch) const {
  std::byte* blocked_x = scratch + scratchpad_bytes();
  std::byte* blocked_y = blocked_x + BlockedBytes(input_, input_.to);
  if (input_.copy) {
    CallCopy(input_, x, blocked_x, scratch);
  }
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_SRC,
       .layout = &input_.to,
       .data = input_.copy ? blocked_x : const_cast<std::byte*>(x)},
      {.name = DNNL_ARG_WEIGHTS, .prepared = &weights_},
      {.name = DNNL_ARG_DST, .layout = &output_.from, .data = output_.copy ? blocked_y : y},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &scratchpad_, .data = scratch},
      {.name = DNNL_ARG_BIAS, .prepared = &bias_}};
  CallLibrary(primitive_, std::span(operands).first(bias_ ? 5 : 4));
  if (output_.copy) {
    CallCopy(output_, blocked_y, y, scratch);
  }
}

}  // namespace halftone
