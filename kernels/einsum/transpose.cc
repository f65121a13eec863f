// Einsum of one operand that is a permutation of its axes.
#include <algorithm>

#include "kernels/copy/copy_bytes.h"
#include "kernels/einsum/einsum.h"
#include "kernels/einsum/operand.h"

namespace halftone {
namespace {

struct TransposeState final : KernelState {
  AxisOrder order;
  std::int64_t bytes = 0;
};

}  // namespace

std::string_view EinsumTransposeRefusal(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  if (terms.inputs.size() != 1) {
    return "serves one operand";
  }
  return std::is_permutation(terms.inputs[0].begin(), terms.inputs[0].end(), terms.output.begin(),
                             terms.output.end()) &&
                 terms.output.size() <= kMostLabels
             ? ""
             : "does not sum, nor take a diagonal";
}

std::unique_ptr<KernelState> PrepareEinsumTranspose(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  auto state = std::make_unique<TransposeState>();
  state->order = AxisOrder(terms, query.inputs[0]->dtype, terms.inputs[0], terms.output);
  state->bytes = query.inputs[0]->size_bytes();
  return state;
}

void RunEinsumTranspose(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const TransposeState&>(*args.state);
  if (s.order.IsStored()) {
    CopyBytes(args.outputs[0], args.inputs[0], s.bytes);
  } else {
    s.order.Run(args.inputs[0], args.outputs[0]);
  }
}

}  // namespace halftone
