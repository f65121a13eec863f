// Building blocks of Einsum's kernels: permutations of the axes of operands and results, and
// kernels of other operators.
#pragma once

#include <optional>

#include "kernels/einsum/terms.h"
#include "kernels/transpose/permutation.h"

namespace halftone {

// Permutation from the stored order of axes to a wanted order.
class AxisOrder {
 public:
  AxisOrder() = default;  // identity
  // `wanted` must have the labels of `stored`, in any order.
  AxisOrder(const EinsumTerms& terms, DType dtype, const Labels& stored, const Labels& wanted);

  // True if the stored order is the wanted one.
  [[nodiscard]] bool IsStored() const { return !permutation_.has_value(); }

  // Bytes of the target of Run(), rounded up to whole cache lines; 0 if IsStored().
  [[nodiscard]] std::size_t scratch_bytes() const;

  // Copies `source` to `target` in the wanted order; does nothing if IsStored().
  void Run(const void* source, void* target) const noexcept;

 private:
  std::optional<Permutation> permutation_;
  std::int64_t bytes_ = 0;
};

// An operand with its axes in a wanted order. A constant operand is permuted once.
class OrderedOperand {
 public:
  OrderedOperand() = default;
  OrderedOperand(const KernelQuery& query, const EinsumTerms& terms, std::size_t input,
                 const Labels& wanted);

  // Returns the operand in the wanted order: the permuted constant, the input itself if it has that
  // order, or a copy in `scratch` of scratch_bytes() bytes.
  const void* Get(const KernelArgs& args, std::byte* scratch) const noexcept;

  [[nodiscard]] std::size_t scratch_bytes() const;

  // The permuted constant; null if the operand is not constant or not permuted.
  [[nodiscard]] const Tensor* constant() const { return constant_ ? &*constant_ : nullptr; }

  // True if run() does not read operand `input`, because its permuted constant is stored.
  [[nodiscard]] bool IsConsumed(std::size_t input) const {
    return input == input_ && constant_.has_value();
  }

 private:
  std::size_t input_ = 0;
  AxisOrder order_;
  std::optional<Tensor> constant_;
};

// A prepared kernel of another operator.
class InnerKernel {
 public:
  InnerKernel() = default;
  // Takes the kernel that SelectKernel() chooses for the instruction sets `isa`, or the kernel
  // `forced_name` unless that is empty.
  InnerKernel(const KernelQuery& query, IsaMask isa, std::string_view forced_name = "");

  [[nodiscard]] std::size_t scratch_bytes() const;

  [[nodiscard]] bool Consumed(std::size_t input) const { return state_->Consumed(input); }

  void Run(std::span<const void* const> inputs, void* output, std::byte* scratch) const noexcept;

 private:
  const KernelEntry* entry_ = nullptr;
  std::unique_ptr<KernelState> state_;
};

}  // namespace halftone
