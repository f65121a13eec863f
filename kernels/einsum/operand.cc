#include "kernels/einsum/operand.h"

#include <algorithm>

namespace halftone {
namespace {

constexpr std::size_t kLine = 64;

}  // namespace

AxisOrder::AxisOrder(const EinsumTerms& terms, DType dtype, const Labels& stored,
                     const Labels& wanted) {
  if (stored == wanted) {
    return;
  }
  PermutationSpec spec{
      .source = {}, .order = {}, .element_bytes = static_cast<std::int64_t>(SizeOf(dtype))};
  for (const int label : stored) {
    spec.source.push_back(terms.extents[static_cast<std::size_t>(label)]);
  }
  for (const int label : wanted) {
    const auto place = std::find(stored.begin(), stored.end(), label);
    spec.order.push_back(static_cast<int>(place - stored.begin()));
  }
  bytes_ = terms.Elements(stored) * spec.element_bytes;
  permutation_.emplace(spec);
}

std::size_t AxisOrder::scratch_bytes() const {
  return (static_cast<std::size_t>(bytes_) + kLine - 1) / kLine * kLine;
}

void AxisOrder::Run(const void* source, void* target) const noexcept {
  if (bytes_ > 0) {
    permutation_->Run(source, target);
  }
}

OrderedOperand::OrderedOperand(const KernelQuery& query, const EinsumTerms& terms,
                               std::size_t input, const Labels& wanted)
    : input_(input), order_(terms, query.inputs[input]->dtype, terms.inputs[input], wanted) {
  const Tensor* constant = query.Constant(input);
  if (constant != nullptr && !order_.IsStored()) {
    constant_.emplace(constant->type());
    order_.Run(constant->data(), constant_->mutable_data());
  }
}

const void* OrderedOperand::Get(const KernelArgs& args, std::byte* scratch) const noexcept {
  if (constant_.has_value()) {
    return constant_->data();
  }
  if (order_.IsStored()) {
    return args.inputs[input_];
  }
  order_.Run(args.inputs[input_], scratch);
  return scratch;
}

std::size_t OrderedOperand::scratch_bytes() const {
  return constant_.has_value() ? 0 : order_.scratch_bytes();
}

InnerKernel::InnerKernel(const KernelQuery& query, IsaMask isa, std::string_view forced_name)
    : entry_(SelectKernel(query, {.isa = isa, .forced_name = forced_name}).entry),
      state_(entry_->prepare(query)) {}

std::size_t InnerKernel::scratch_bytes() const {
  return entry_->scratch_bytes != nullptr ? entry_->scratch_bytes(*state_) : 0;
}

void InnerKernel::Run(std::span<const void* const> inputs, void* output,
                      std::byte* scratch) const noexcept {
  void* const outputs[] = {output};
  entry_->run({.state = state_.get(), .inputs = inputs, .outputs = outputs, .scratch = scratch});
}

}  // namespace halftone
