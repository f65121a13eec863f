#include "kernels/onednn/conv_parts.h"

#include <algorithm>
#include <numeric>

#include "kernels/gemm/chunks.h"

namespace halftone {
namespace {

std::int64_t RangeOf(const ConvCall& call, std::size_t axis) {
  return (call.kernel[axis] - 1) * call.dilation[axis] + 1;
}

// The band of output rows [first, last) and its first input row.
struct Band {
  ConvProblem problem;
  std::int64_t first_input_row = 0;
};

Band BandOf(const ConvCall& call, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = first * call.stride[1] - call.pad[1];
  const std::int64_t end = (last - 1) * call.stride[1] - call.pad[1] + RangeOf(call, 1);
  const std::int64_t first_row = std::max<std::int64_t>(begin, 0);
  const std::int64_t last_row = std::min(end, call.input[1]);
  return {.problem = {.input_rows = last_row - first_row,
                      .output_rows = last - first,
                      .pad_top = first_row - begin,
                      .pad_bottom = end - last_row},
          .first_input_row = first_row};
}

std::size_t IndexOf(std::vector<ConvProblem>& problems, const ConvProblem& problem) {
  const auto found = std::find(problems.begin(), problems.end(), problem);
  if (found == problems.end()) {
    problems.push_back(problem);
    return problems.size() - 1;
  }
  return static_cast<std::size_t>(found - problems.begin());
}

// Cost of one image in operations; 8 per byte (see kernels/gemm/packed.cc).
double FlopsOf(const ConvCall& call) {
  const auto element = static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t channels = call.group * call.out_channels;
  const double flops = 2.0 * static_cast<double>(call.OutputPixels() * channels) *
                       static_cast<double>(call.in_channels * call.Taps());
  const double bytes = static_cast<double>(
      (call.InputPixels() * call.group * call.in_channels + call.OutputPixels() * channels) *
      element);
  return std::max(flops, 8.0 * bytes);
}

// The least number of bands per image that keeps parts small enough and, where the work is worth
// it, gives every thread as many parts as any other.
std::int64_t BandsOf(const ConvCall& call, const ConvCut& cut) {
  const std::int64_t rows = (call.output[1] + cut.row_multiple - 1) / cut.row_multiple;
  const std::int64_t result_bytes = call.OutputPixels() * call.group * call.out_channels *
                                    static_cast<std::int64_t>(SizeOf(call.result_dtype));
  const std::int64_t by_size =
      cut.part_bytes > 0 ? (result_bytes + cut.part_bytes - 1) / cut.part_bytes : 1;
  const double flops = std::min(FlopsOf(call), 0x1p62);  // as an integer it would overflow
  const std::int64_t worth =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(flops) / GrainForFlops(1.0));
  const std::int64_t even = cut.threads / std::gcd<std::int64_t>(call.batch, cut.threads);
  const std::int64_t by_threads = even <= worth ? even : worth;
  const std::int64_t wanted = (by_size + by_threads - 1) / by_threads * by_threads;
  return std::clamp<std::int64_t>(wanted, 1, rows);
}

}  // namespace

std::int64_t UsedPadEnd(const ConvCall& call, std::size_t axis) {
  const std::int64_t end =
      (call.output[axis] - 1) * call.stride[axis] - call.pad[axis] + RangeOf(call, axis);
  return std::max<std::int64_t>(end - call.input[axis], 0);
}

bool IsColumn(const ConvCall& call) {
  return call.Taps() > 1 && call.kernel[2] == 1 && call.input[2] == 1 && call.output[2] == 1;
}

ConvParts PartsOf(const ConvCall& call, const ConvCut& cut) {
  ConvParts result;
  const std::int64_t bands = BandsOf(call, cut);
  const std::int64_t units = (call.output[1] + cut.row_multiple - 1) / cut.row_multiple;
  for (std::int64_t image = 0; image < call.batch; ++image) {
    for (std::int64_t b = 0; b < bands; ++b) {
      const std::int64_t first = units * b / bands * cut.row_multiple;
      const std::int64_t last =
          std::min(units * (b + 1) / bands * cut.row_multiple, call.output[1]);
      const Band band = BandOf(call, first, last);
      result.parts.push_back(
          {.problem = IndexOf(result.problems, band.problem),
           .input_pixel = (image * call.input[1] + band.first_input_row) * call.input[2],
           .output_pixel = (image * call.output[1] + first) * call.output[2]});
    }
  }
  result.flops = FlopsOf(call) / static_cast<double>(bands);
  return result;
}

}  // namespace halftone
