// The axes of operands and results in another order, and kernels of other operators: what the
// kernels of Einsum are composed of.
#pragma once

#include <optional>

#include "kernels/einsum/terms.h"
#include "kernels/transpose/permutation.h"

namespace halftone {

// From the order in which axes lie to the one that is wanted.
class AxisOrder {
 public:
  AxisOrder() = default;  // as they lie
  // `wanted` are the labels of `stored` in any order.
  AxisOrder(const EinsumTerms& terms, DType dtype, const Labels& stored, const Labels& wanted);

  [[nodiscard]] bool IsStored() const { return !permutation_.has_value(); }

  // What Run() writes, in whole cache lines; none where the axes lie in order.
  [[nodiscard]] std::size_t scratch_bytes() const;

  void Run(const void* source, void* target) const noexcept;

 private:
  std::optional<Permutation> permutation_;
  std::int64_t bytes_ = 0;
};

// An operand with its axes in order. A constant one is brought to it once.
class OrderedOperand {
 public:
  OrderedOperand() = default;
  OrderedOperand(const KernelQuery& query, const EinsumTerms& terms, std::size_t input,
                 const Labels& wanted);

  // The operand in order: where it lies, or in `scratch`.
  const void* Get(const KernelArgs& args, std::byte* scratch) const noexcept;

  [[nodiscard]] std::size_t scratch_bytes() const;

  // What was made of a constant operand; null: it lies in order, or is not constant.
  [[nodiscard]] const Tensor* constant() const { return constant_ ? &*constant_ : nullptr; }

  // Whether run() does not read the operand.
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
  // The one that SelectKernel() gives where no more than `isa` may be needed, or the one of a name.
  InnerKernel(const KernelQuery& query, IsaMask isa, std::string_view forced_name = "");

  [[nodiscard]] std::size_t scratch_bytes() const;

  [[nodiscard]] bool Consumed(std::size_t input) const { return state_->Consumed(input); }

  void Run(std::span<const void* const> inputs, void* output, std::byte* scratch) const noexcept;

 private:
  const KernelEntry* entry_ = nullptr;
  std::unique_ptr<KernelState> state_;
};

}  // namespace halftone
