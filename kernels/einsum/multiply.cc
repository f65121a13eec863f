// Einsum without a sum: brings the operands to the order of the result and broadcasts them to each
// other.
#include "kernels/einsum/einsum.h"
#include "kernels/einsum/operand.h"

namespace halftone {
namespace {

struct MultiplyState final : KernelState {
  OrderedOperand operands[2];
  InnerKernel product;

  [[nodiscard]] bool Consumed(std::size_t input) const override {
    return operands[0].IsConsumed(input) || operands[1].IsConsumed(input);
  }
};

// The labels of the result that the operand has.
Labels InOrderOfResult(const EinsumTerms& terms, std::size_t input) {
  Labels labels;
  for (const int label : terms.output) {
    if (HasLabel(terms.inputs[input], label)) {
      labels.push_back(label);
    }
  }
  return labels;
}

// Shape of the result, with 1 for labels that `labels` does not have.
Shape BroadcastShape(const EinsumTerms& terms, const Labels& labels) {
  std::vector<std::int64_t> dims;
  for (const int label : terms.output) {
    dims.push_back(HasLabel(labels, label) ? terms.Elements({label}) : 1);
  }
  return Shape(std::move(dims));
}

}  // namespace

std::string_view EinsumMultiplyRefusal(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  if (const std::string_view reason = RefusalOfPair(query, terms); !reason.empty()) {
    return reason;
  }
  return SumsOf(terms, 0).empty() ? "" : "does not sum";
}

std::unique_ptr<KernelState> PrepareEinsumMultiply(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  const DType dtype = query.inputs[0]->dtype;
  auto state = std::make_unique<MultiplyState>();
  std::vector<TensorType> types;
  for (const std::size_t i : {0, 1}) {
    state->operands[i] = OrderedOperand(query, terms, i, InOrderOfResult(terms, i));
    types.push_back({dtype, BroadcastShape(terms, terms.inputs[i])});
  }
  const TensorType result{dtype, BroadcastShape(terms, terms.output)};
  const Attributes none;
  state->product = InnerKernel({.op = OpKind::kMul,
                                .attributes = &none,
                                .inputs = {&types[0], &types[1]},
                                .constants = {nullptr, nullptr},
                                .outputs = {&result}},
                               kIsaAny);
  return state;
}

std::size_t EinsumMultiplyScratch(const KernelState& state) {
  const auto& s = static_cast<const MultiplyState&>(state);
  return s.operands[0].scratch_bytes() + s.operands[1].scratch_bytes() + s.product.scratch_bytes();
}

void RunEinsumMultiply(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const MultiplyState&>(*args.state);
  std::byte* second = args.scratch + s.operands[0].scratch_bytes();
  const void* const operands[] = {s.operands[0].Get(args, args.scratch),
                                  s.operands[1].Get(args, second)};
  s.product.Run(operands, args.outputs[0], second + s.operands[1].scratch_bytes());
}

}  // namespace halftone
