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

// Roles of the labels. Batch and sums are in the order of the operand with more elements, which is
// moved least.
struct DotRoles {
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

DotRoles DotRolesOf(const EinsumTerms& terms) {
  const PairLabels labels = PairLabelsOf(terms);
  DotRoles roles{.wide = terms.Elements(labels.rows) < terms.Elements(labels.columns) ? 1U : 0U};
  const Labels& stored = terms.inputs[roles.wide];
  roles.batch = InOrderOf(stored, labels.batch);
  roles.sums = SumsOf(terms, roles.wide);
  roles.own[0] = InOrderOf(terms.inputs[0], labels.rows);
  roles.own[1] = InOrderOf(terms.inputs[1], labels.columns);
  return roles;
}

Labels WantedOf(const DotRoles& roles, std::size_t input) {
  return Joined(roles.batch, roles.own[input], roles.sums);
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
  const DotRoles roles = DotRolesOf(terms);
  const std::int64_t rows = terms.Elements(roles.own[0]);
  const std::int64_t columns = terms.Elements(roles.own[1]);
  if (rows * columns <= kSmallMatrix) {
    return "";
  }
  if (rows != 1 && columns != 1) {
    return "makes vectors, or matrices of up to 16 elements";
  }
  return query.Constant(roles.wide) == nullptr &&
                 terms.inputs[roles.wide] == WantedOf(roles, roles.wide)
             ? ""
             : "reads computed matrices along their rows";
}

std::unique_ptr<KernelState> PrepareEinsumDots(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  const DotRoles roles = DotRolesOf(terms);
  const DType dtype = query.inputs[0]->dtype;
  auto state = std::make_unique<DotsState>();
  state->a = OrderedOperand(query, terms, 0, WantedOf(roles, 0));
  state->b = OrderedOperand(query, terms, 1, WantedOf(roles, 1));
  state->result =
      AxisOrder(terms, dtype, Joined(roles.batch, roles.own[0], roles.own[1]), terms.output);
  state->loop = FindDotRowsLoop(dtype);
  state->call = {.rows = terms.Elements(roles.own[0]),
                 .columns = terms.Elements(roles.own[1]),
                 .k = terms.Elements(roles.sums)};
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
