// Matrix products of a transposed convolution, one per group. Two kernels use them and assemble the
// result from their columns.
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
  // Resolves the call and copies a constant bias.
  explicit GroupProducts(const KernelQuery& query);

  // True if weights and bias are constant, so that neither is read again.
  [[nodiscard]] bool Consumed(std::size_t input) const override { return input == 1 || input == 2; }

  void Add(std::unique_ptr<KernelState> product);

  // Runs the product of a group on `a` and `b`; a constant operand is null.
  void Multiply(std::int64_t group, const void* a, const void* b, float* columns,
                std::byte* scratch) const noexcept;

  // Calls body(image) for each group of each image; never if the result has no elements.
  template <typename Body>
  void ForEachImage(const KernelArgs& args, const Body& body) const noexcept;

  ConvTransposeCall call;
  std::int64_t product_bytes = 0;  // scratch of Multiply()
  int max_chunks = 1;

 private:
  [[nodiscard]] GroupImage ImageAt(const KernelArgs& args, std::int64_t i) const noexcept;

  std::vector<std::unique_ptr<KernelState>> products_;  // per group
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
