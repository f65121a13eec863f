#include "kernels/onednn/library_limits.h"

#include <algorithm>
#include <initializer_list>

#include "kernels/onednn/finish.h"

namespace halftone {
namespace {

constexpr std::string_view kExtent = "an extent is beyond 32 bits";
constexpr std::string_view kBytes = "an operand has 2 GiB or more";

// Product of factors that are not negative; saturates at the largest number.
std::int64_t Product(std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) {
      product = kLargest;
    }
  }
  return std::count(factors.begin(), factors.end(), 0) > 0 ? 0 : product;
}

struct Count {
  std::string_view refusal;
  std::int64_t found;
  std::int64_t most = kMostOfLibrary;
};

std::string_view FirstBeyond(std::initializer_list<Count> counts) {
  for (const Count& count : counts) {
    if (count.found > count.most) {
      return count.refusal;
    }
  }
  return "";
}

std::int64_t BytesOf(DType dtype) {
  return static_cast<std::int64_t>(SizeOf(dtype));
}

// Bytes between elements that windows of one call read, which stand in its instructions.
std::int64_t FarthestStep(const ConvCall& call) {
  const std::int64_t pixel = Product({call.group, call.in_channels, BytesOf(call.dtype)});
  const std::int64_t row = Product({pixel, call.input[2]});
  return std::max({Product({call.stride[1], row}), Product({call.stride[2], pixel}),
                   Product({call.kernel[1], call.dilation[1], row}),
                   Product({call.kernel[2], call.dilation[2], pixel}), Product({call.pad[1], row}),
                   Product({call.pad[2], pixel})});
}

}  // namespace

std::string_view RefusalOfExtents(const ConvCall& call) {
  for (std::size_t axis = 0; axis < kSpatialAxes; ++axis) {
    const std::string_view reason = FirstBeyond(
        {{kExtent, call.input[axis]},
         {kExtent, call.output[axis]},
         {kExtent, call.kernel[axis]},
         {kExtent, call.stride[axis]},
         {kExtent, call.dilation[axis]},
         {kExtent, call.pad[axis]},
         {kExtent, call.pad_end[axis]},
         {"a window is beyond 32 bits", Product({call.kernel[axis], call.dilation[axis]})}});
    if (!reason.empty()) {
      return reason;
    }
  }
  const std::int64_t result = Product({call.batch, call.output[0], call.output[1], call.output[2],
                                       call.group, call.out_channels, BytesOf(call.result_dtype)});
  return FirstBeyond({{"there are too many images to list", call.batch, kMostParts},
                      {"there are too many parts to list", result / kFinishedPartBytes, kMostParts},
                      {"a step from row to row is beyond 32 bits", FarthestStep(call)},
                      {kExtent, Product({call.group, call.in_channels})},
                      {kExtent, Product({call.group, call.out_channels})}});
}

std::string_view RefusalOfBytes(const ConvCall& call, const ConvProblem& problem,
                                std::int64_t growth) {
  const std::int64_t element = BytesOf(call.dtype);
  return FirstBeyond({{kBytes, Product({problem.input_rows, call.input[2], call.group,
                                        call.in_channels, element, growth})},
                      {kBytes, Product({problem.output_rows, call.output[2], call.group,
                                        call.out_channels, BytesOf(call.result_dtype), growth})},
                      {kBytes, Product({call.group, call.in_channels, call.out_channels,
                                        call.kernel[1], call.kernel[2], element, growth})}});
}

std::string_view RefusalOfExtents(const MatrixCall& call) {
  const std::int64_t element = BytesOf(call.dtype);
  return FirstBeyond({{kExtent, call.m},
                      {kExtent, call.n},
                      {kExtent, call.k},
                      {kExtent, call.a_row},
                      {kExtent, call.b_step},
                      {kExtent, call.b_column},
                      {kBytes, Product({call.m, std::max(call.a_row, call.k), element})},
                      {kBytes, Product({call.k, call.n, element})},
                      {kBytes, Product({call.m, call.n, BytesOf(call.result_dtype)})}});
}

}  // namespace halftone
