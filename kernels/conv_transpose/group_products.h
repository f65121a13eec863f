// Matrix products of a transposed convolution, one for each group. Two kernels make the result from
// the columns of these products.
#pragma once

#include <memory>
#include <vector>

#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/scratch_parts.h"

namespace halftone {

// One image of one group.
struct GroupImage {
  std::int64_t group = 0;
  const std::byte* x = nullptr;
  const float* bias = nullptr;  // null: none
  std::byte* y = nullptr;
};

struct GroupProducts : KernelState {
  // Resolves the call, and widens the bias, which must be constant, to fp32.
  explicit GroupProducts(const KernelQuery& query);

  // True for the weights and the bias: both are constant, and not read after prepare().
  [[nodiscard]] bool Consumed(std::size_t input) const override { return input == 1 || input == 2; }

  // Adds the product of the next group, a packed Gemm (kernels/gemm/packed.h).
  void Add(std::unique_ptr<KernelState> product);

  // Computes the product a * b of a group; the operand that is constant must be null.
  void Multiply(std::int64_t group, const void* a, const void* b, float* columns,
                std::byte* scratch) const noexcept;

  // Calls body(image) for each group of each image, in order. Makes no call if the result has no
  // elements.
  template <typename Body>
  void ForEachImage(const KernelArgs& args, const Body& body) const noexcept;

  ConvTransposeCall call;
  std::int64_t product_bytes = 0;  // bytes of scratch of Multiply()
  int max_chunks = 1;

 private:
  [[nodiscard]] GroupImage ImageAt(const KernelArgs& args, std::int64_t i) const noexcept;

  std::vector<std::unique_ptr<KernelState>> products_;  // by group
  std::vector<float> bias_;
};

template <typename Body>
void GroupProducts::ForEachImage(const KernelArgs& args, const Body& body) const noexcept {
  if (call.output_channels * call.output_pixels() == 0) {
    return;
  }
  for (std::int64_t i = 0; i < call.batch * call.groups; ++i) {
    body(ImageAt(args, i));
  }
}

}  // namespace halftone
