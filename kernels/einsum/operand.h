// Building blocks of Einsum's kernels: axis permutations of operands and results, and kernels of
// other operators.
#pragma once

#include <optional>

#include "kernels/einsum/terms.h"
#include "kernels/transpose/permutation.h"

namespace halftone {

// Permutation from the stored order of axes to the wanted one.
class AxisOrder {
 public:
  AxisOrder() = default;  // identity
  // `wanted` holds the labels of `stored` in any order.
  AxisOrder(const EinsumTerms& terms, DType dtype, const Labels& stored, const Labels& wanted);

  [[nodiscard]] bool IsStored() const { return !permutation_.has_value(); }

  // Bytes of the target of Run(), in whole cache lines; 0 if the axes are in order.
  [[nodiscard]] std::size_t scratch_bytes() const;

  void Run(const void* source, void* target) const noexcept;

 private:
  std::optional<Permutation> permutation_;
  std::int64_t bytes_ = 0;
};

// An operand with permuted axes. A constant one is permuted once.
class OrderedOperand {
 public:
  OrderedOperand() = default;
  OrderedOperand(const KernelQuery& query, const EinsumTerms& terms, std::size_t input,
                 const Labels& wanted);

  // The permuted operand: in place, or in `scratch`.
  const void* Get(const KernelArgs& args, std::byte* scratch) const noexcept;

  [[nodiscard]] std::size_t scratch_bytes() const;

  // The permuted constant; null if the operand is in order or not constant.
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

// A kernel of another operator.
class InnerKernel {
 public:
  InnerKernel() = default;
  // Takes the kernel that SelectKernel() chooses within `isa`, or the kernel named.
  InnerKernel(const KernelQuery& query, IsaMask isa, std::string_view forced_name = "");

  [[nodiscard]] std::size_t scratch_bytes() const;

  [[nodiscard]] bool Consumed(std::size_t input) const { return state_->Consumed(input); }

  void Run(std::span<const void* const> inputs, void* output, std::byte* scratch) const noexcept;

 private:
  const KernelEntry* entry_ = nullptr;
  std::unique_ptr<KernelState> state_;
};

}  // namespace halftone
