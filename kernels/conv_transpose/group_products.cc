#include "kernels/conv_transpose/group_products.h"

#include <algorithm>
#include <utility>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/packed.h"

namespace halftone {

GroupProducts::GroupProducts(const KernelQuery& query)
    : call(ConvTransposeCallOf(query)), max_chunks(MaxChunks()) {
  if (const Tensor* bias = query.Constant(2); bias != nullptr) {
    for (const double value : DoublesOf(*bias)) {
      bias_.push_back(static_cast<float>(value));
    }
  }
}

void GroupProducts::Add(std::unique_ptr<KernelState> product) {
  product_bytes = std::max(product_bytes,
                           WholeLines(static_cast<std::int64_t>(PackedGemmScratchBytes(*product))));
  products_.push_back(std::move(product));
}

void GroupProducts::Multiply(std::int64_t group, const void* a, const void* b, float* columns,
                             std::byte* scratch) const noexcept {
  const void* inputs[] = {a, b};
  void* outputs[] = {columns};
  RunPackedGemm({.state = products_[static_cast<std::size_t>(group)].get(),
                 .inputs = inputs,
                 .outputs = outputs,
                 .scratch = scratch});
}

GroupImage GroupProducts::ImageAt(const KernelArgs& args, std::int64_t i) const noexcept {
  const std::int64_t group = i % call.groups;
  const std::int64_t x_bytes =
      call.input_channels * call.input_pixels() * static_cast<std::int64_t>(SizeOf(call.dtype));
  const std::int64_t y_bytes = call.output_channels * call.output_pixels() *
                               static_cast<std::int64_t>(SizeOf(call.result_dtype));
  return {.group = group,
          .x = static_cast<const std::byte*>(args.inputs[0]) + i * x_bytes,
          .bias = bias_.empty() ? nullptr : bias_.data() + group * call.output_channels,
          .y = static_cast<std::byte*>(args.outputs[0]) + i * y_bytes};
}

}  // namespace halftone
