// Einsum by dot products of rows; a row is the last axes of an operand.
#include <algorithm>

#include "kernels/einsum/dot_rows.h"
#include "kernels/einsum/einsum.h"
#include "kernels/einsum/operand.h"
#include "kernels/parallel.h"

namespace halftone {
namespace {

struct DotsState final : KernelState {
  OrderedOperand a, b;
  AxisOrder result;
  DotRowsLoop loop = nullptr;
  DotRows call;
  std::int64_t count = 0;

  [[nodiscard]] bool Consumed(std::size_t input) const override {
    return a.IsConsumed(input) || b.IsConsumed(input);
  }
};

// Batch and sums in the order that the operand of more elements has: it is moved least.
struct Form {
  std::size_t wide = 0;
  Labels batch, sums;
  Labels own[2];  // by operand
};

Labels InOrderOf(const Labels& stored, const Labels& some) {
  Labels labels;
  for (const int label : stored) {
    if (HasLabel(some, label)) {
      labels.push_back(label);
    }
  }
  return labels;
}

Form FormOf(const EinsumTerms& terms) {
  const PairLabels labels = PairLabelsOf(terms);
  Form form{.wide = terms.Elements(labels.rows) < terms.Elements(labels.columns) ? 1U : 0U};
  const Labels& stored = terms.inputs[form.wide];
  form.batch = InOrderOf(stored, labels.batch);
  form.sums = SumsOf(terms, form.wide);
  form.own[0] = InOrderOf(terms.inputs[0], labels.rows);
  form.own[1] = InOrderOf(terms.inputs[1], labels.columns);
  return form;
}

Labels WantedOf(const Form& form, std::size_t input) {
  return Joined(form.batch, form.own[input], form.sums);
}

}  // namespace

std::string_view EinsumDotsRefusal(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  if (const std::string_view reason = RefusalOfPair(query, terms); !reason.empty()) {
    return reason;
  }
  if (SumsOf(terms, 0).empty()) {
    return "multiplies where there is a sum";
  }
  const Form form = FormOf(terms);
  const std::int64_t rows = terms.Elements(form.own[0]);
  const std::int64_t columns = terms.Elements(form.own[1]);
  if (rows * columns <= kSmallMatrix) {
    return "";
  }
  if (rows != 1 && columns != 1) {
    return "makes vectors, or matrices of up to 16 elements";
  }
  return query.Constant(form.wide) == nullptr &&
                 terms.inputs[form.wide] == WantedOf(form, form.wide)
             ? ""
             : "reads computed matrices along their rows";
}

std::unique_ptr<KernelState> PrepareEinsumDots(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  const Form form = FormOf(terms);
  const DType dtype = query.inputs[0]->dtype;
  auto state = std::make_unique<DotsState>();
  state->a = OrderedOperand(query, terms, 0, WantedOf(form, 0));
  state->b = OrderedOperand(query, terms, 1, WantedOf(form, 1));
  state->result =
      AxisOrder(terms, dtype, Joined(form.batch, form.own[0], form.own[1]), terms.output);
  state->loop = FindDotRowsLoop(dtype);
  state->call = {.rows = terms.Elements(form.own[0]),
                 .columns = terms.Elements(form.own[1]),
                 .k = terms.Elements(form.sums)};
  state->count = terms.Elements(terms.output);
  return state;
}

std::size_t EinsumDotsScratch(const KernelState& state) {
  const auto& s = static_cast<const DotsState&>(state);
  return s.a.scratch_bytes() + s.b.scratch_bytes() + s.result.scratch_bytes();
}

void RunEinsumDots(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const DotsState&>(*args.state);
  DotRows call = s.call;
  call.a = s.a.Get(args, args.scratch);
  call.b = s.b.Get(args, args.scratch + s.a.scratch_bytes());
  call.y = s.result.IsStored() ? args.outputs[0]
                               : args.scratch + s.a.scratch_bytes() + s.b.scratch_bytes();
  const std::int64_t grain = 250'000 / (call.k + 50);  // 0.1 ns a term, 5 ns a sum: 25 us
  ParallelFor(s.count, std::max<std::int64_t>(grain, 1),
              [&](std::int64_t begin, std::int64_t end) { s.loop(call, begin, end); });
  if (!s.result.IsStored()) {
    s.result.Run(call.y, args.outputs[0]);
  }
}

}  // namespace halftone
