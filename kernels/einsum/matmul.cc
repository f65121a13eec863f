// Einsum by a kernel of MatMul. Operand A, the order of batch labels and the order of sums can be
// chosen: it takes the choice that moves the fewest elements.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/einsum/einsum.h"
#include "kernels/einsum/operand.h"

namespace halftone {
namespace {

// Roles of the labels where the call is the product Y[batch] = A[batch] * B[batch].
struct LabelRoles {
  std::size_t a = 0;  // operands
  std::size_t b = 1;
  Labels batch, rows, columns, sums;

  [[nodiscard]] Labels Result() const { return Joined(batch, rows, columns); }
};

// Roles with operand `a` as A. `lead`: labels of B alone that stand before the rows in the
// result become batch labels, and all these matrices have the same A.
LabelRoles RolesOf(const EinsumTerms& terms, std::size_t a, bool lead, bool sums_of_b) {
  LabelRoles roles{.a = a, .b = 1 - a};
  for (const int label : terms.output) {
    const bool in_a = HasLabel(terms.inputs[roles.a], label);
    const bool in_b = HasLabel(terms.inputs[roles.b], label);
    const bool of_batch = (in_a && in_b) || (in_b && lead && roles.rows.empty());
    (of_batch ? roles.batch : in_a ? roles.rows : roles.columns).push_back(label);
  }
  roles.sums = SumsOf(terms, sums_of_b ? roles.b : roles.a);
  return roles;
}

Labels WantedOfA(const EinsumTerms& terms, const LabelRoles& roles) {
  Labels batch;
  for (const int label : roles.batch) {
    if (HasLabel(terms.inputs[roles.a], label)) {
      batch.push_back(label);
    }
  }
  return Joined(batch, roles.rows, roles.sums);
}

bool StandTogether(const Labels& stored, const Labels& part) {
  return std::search(stored.begin(), stored.end(), part.begin(), part.end()) != stored.end();
}

// MatMul reads B as it lies where the sums have one stride, the columns have one, and one of these
// is 1.
bool ReadsStoredB(const EinsumTerms& terms, const LabelRoles& roles) {
  const Labels& stored = terms.inputs[roles.b];
  return StandTogether(stored, roles.sums) && StandTogether(stored, roles.columns) &&
         !HasLabel(roles.batch, stored.back());
}

Labels WantedOfB(const EinsumTerms& terms, const LabelRoles& roles) {
  return ReadsStoredB(terms, roles) ? terms.inputs[roles.b]
                                    : Joined(roles.batch, roles.sums, roles.columns);
}

// Cost of a run, in moves of an element; constants are moved before.
double CostOf(const KernelQuery& query, const EinsumTerms& terms, const LabelRoles& roles) {
  const auto elements = [&](const Labels& labels) {
    return static_cast<double>(terms.Elements(labels));
  };
  const auto rounded_up = [](double n, double unit) { return std::ceil(n / unit) * unit; };
  const double matrices = elements(roles.batch);
  const double columns = elements(roles.columns);
  double cost = roles.Result() == terms.output ? 0 : elements(terms.output);
  if (query.Constant(roles.a) == nullptr && WantedOfA(terms, roles) != terms.inputs[roles.a]) {
    cost += elements(terms.inputs[roles.a]);
  }
  if (query.Constant(roles.b) == nullptr) {
    cost += WantedOfB(terms, roles) != terms.inputs[roles.b] ? elements(terms.inputs[roles.b]) : 0;
    cost += matrices * elements(roles.sums) * rounded_up(columns, 32);  // panels
  }
  // About 25 multiplications, of 16 columns at a time; a product of its own takes 0.1 us.
  const double terms_of_rows = elements(roles.rows) * elements(roles.sums);
  return cost + matrices * (200 + terms_of_rows * rounded_up(columns, 16) / 25);
}

LabelRoles CheapestRoles(const KernelQuery& query, const EinsumTerms& terms) {
  LabelRoles best;
  double least = -1;
  for (const unsigned choice : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    LabelRoles roles = RolesOf(terms, choice >> 2, (choice & 2) != 0, (choice & 1) != 0);
    if (const double cost = CostOf(query, terms, roles); least < 0 || cost < least) {
      best = std::move(roles);
      least = cost;
    }
  }
  return best;
}

// [batch, rows, sums] with 1 where A does not have a label of the batch.
Shape ShapeOfA(const EinsumTerms& terms, const LabelRoles& roles) {
  std::vector<std::int64_t> dims;
  for (const int label : roles.batch) {
    dims.push_back(HasLabel(terms.inputs[roles.a], label) ? terms.Elements({label}) : 1);
  }
  dims.push_back(terms.Elements(roles.rows));
  dims.push_back(terms.Elements(roles.sums));
  return Shape(std::move(dims));
}

// B as it lies, sums and columns one axis each, and the order in which the product takes its axes.
struct StoredB {
  Shape shape;
  std::vector<std::int64_t> order;
};

StoredB StoredBOf(const EinsumTerms& terms, const LabelRoles& roles, const Labels& lies) {
  Labels firsts = roles.batch;  // the labels that axes begin with, in the order of the product
  firsts.push_back(roles.sums[0]);
  std::vector<std::int64_t> dims;
  StoredB stored{.shape = {}, .order = std::vector<std::int64_t>(firsts.size() + 1)};
  if (!roles.columns.empty()) {
    firsts.push_back(roles.columns[0]);
  }
  for (const int label : lies) {
    const auto place = std::find(firsts.begin(), firsts.end(), label);
    if (place == firsts.end()) {
      continue;
    }
    stored.order[static_cast<std::size_t>(place - firsts.begin())] =
        static_cast<std::int64_t>(dims.size());
    dims.push_back(label == roles.sums[0]           ? terms.Elements(roles.sums)
                   : HasLabel(roles.columns, label) ? terms.Elements(roles.columns)
                                                    : terms.Elements({label}));
  }
  if (roles.columns.empty()) {
    stored.order.back() = static_cast<std::int64_t>(dims.size());
    dims.push_back(1);
  }
  stored.shape = Shape(std::move(dims));
  return stored;
}

struct MatMulState final : KernelState {
  OrderedOperand a, b;
  AxisOrder result;
  InnerKernel product;
  std::size_t input_of_b = 1;

  [[nodiscard]] bool Consumed(std::size_t input) const override {
    return a.IsConsumed(input) || b.IsConsumed(input) ||
           (input == input_of_b && product.Consumed(1));
  }
};

// The kernel of MatMul. A constant B that lies in order is packed as the kernel packs weights.
InnerKernel ProductOf(const KernelQuery& query, const EinsumTerms& terms, const LabelRoles& roles,
                      const OrderedOperand& b, const EinsumProduct& product) {
  const DType dtype = query.inputs[0]->dtype;
  const TensorType a_type{dtype, ShapeOfA(terms, roles)};
  const StoredB stored = StoredBOf(terms, roles, WantedOfB(terms, roles));
  const TensorType b_type{dtype, stored.shape};
  Shape result = a_type.shape;
  for (std::size_t i = 0; i < roles.batch.size(); ++i) {
    result[static_cast<int>(i)] = terms.Elements({roles.batch[i]});
  }
  result[result.rank() - 1] = terms.Elements(roles.columns);
  const TensorType y_type{dtype, result};
  const Attributes attributes;
  Fusion fusion;
  if (!std::is_sorted(stored.order.begin(), stored.order.end())) {
    fusion.b_perm = stored.order;
  }
  std::optional<Tensor> constant;
  int ids[] = {-1, -1};
  if (const Tensor* tensor = b.constant() != nullptr ? b.constant() : query.Constant(roles.b)) {
    constant = tensor->Reshaped(stored.shape);
    ids[1] = b.constant() == nullptr && roles.b < query.constant_ids.size()
                 ? query.constant_ids[roles.b]
                 : -1;
  }
  KernelQuery inner_query{.op = OpKind::kMatMul, .impl_mode = product.mode};
  inner_query.attributes = &attributes;
  inner_query.fusion = &fusion;
  inner_query.inputs = {&a_type, &b_type};
  inner_query.constants = {nullptr, constant ? &*constant : nullptr};
  inner_query.outputs = {&y_type};
  inner_query.packed = query.packed;
  inner_query.constant_ids = ids;
  return {inner_query, product.isa, product.forced_name};
}

}  // namespace

std::string_view EinsumMatMulRefusal(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  if (const std::string_view reason = RefusalOfPair(query, terms); !reason.empty()) {
    return reason;
  }
  if (SumsOf(terms, 0).empty()) {
    return "multiplies where there is a sum";
  }
  const PairLabels labels = PairLabelsOf(terms);
  return terms.Elements(labels.rows) * terms.Elements(labels.columns) <= kSmallMatrix
             ? "makes matrices of more than 16 elements"
             : "";
}

std::unique_ptr<KernelState> PrepareEinsumMatMul(const KernelQuery& query,
                                                 const EinsumProduct& product) {
  const EinsumTerms terms = TermsOf(query);
  const LabelRoles roles = CheapestRoles(query, terms);
  auto state = std::make_unique<MatMulState>();
  state->a = OrderedOperand(query, terms, roles.a, WantedOfA(terms, roles));
  state->b = OrderedOperand(query, terms, roles.b, WantedOfB(terms, roles));
  state->result = AxisOrder(terms, query.inputs[0]->dtype, roles.Result(), terms.output);
  state->input_of_b = roles.b;
  state->product = ProductOf(query, terms, roles, state->b, product);
  return state;
}

std::size_t EinsumMatMulScratch(const KernelState& state) {
  const auto& s = static_cast<const MatMulState&>(state);
  return s.a.scratch_bytes() + s.b.scratch_bytes() + s.result.scratch_bytes() +
         s.product.scratch_bytes();
}

void RunEinsumMatMul(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const MatMulState&>(*args.state);
  std::byte* scratch = args.scratch;
  const void* a = s.a.Get(args, scratch);
  scratch += s.a.scratch_bytes();
  const void* b = s.b.Get(args, scratch);
  scratch += s.b.scratch_bytes();
  void* y = s.result.IsStored() ? args.outputs[0] : scratch;
  scratch += s.result.scratch_bytes();
  const void* const operands[] = {a, b};
  s.product.Run(operands, y, scratch);
  if (!s.result.IsStored()) {
    s.result.Run(y, args.outputs[0]);
  }
}

}  // namespace halftone
