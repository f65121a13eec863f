// Einsum in steps of other kernels: sums over labels of one operand by ReduceSum, then products of
// two operands by Einsum until one is left. Intermediate results are float32.
#include <algorithm>
#include <utility>

#include "kernels/einsum/einsum.h"
#include "kernels/einsum/operand.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::size_t kLine = 64;

struct Step {
  InnerKernel kernel;
  std::size_t inputs[2] = {0, 0};  // numbers of values: operands first, then those in the scratch
  std::size_t count = 1;
  std::size_t output = 0;
};

struct StepsState final : KernelState {
  std::size_t operands = 0;
  std::vector<std::size_t> offsets;  // in the scratch, of the values behind the operands
  std::size_t values_bytes = 0;
  std::size_t kernel_bytes = 0;  // the most that a step needs, behind the values
  std::vector<Step> steps;       // the last one makes the result
};

struct Value {
  std::size_t number = 0;
  DType dtype = DType::kFloat32;
  Labels labels;
};

class StepMaker {
 public:
  StepMaker(const EinsumTerms& terms, StepsState& state) : terms_(terms), state_(state) {}

  Value Converted(const Value& x, DType dtype) {
    Attributes attributes;
    attributes.Set("to", std::int64_t{RowOf(dtype).onnx_type});
    return Add(OpKind::kCast, attributes, {x}, {0, dtype, x.labels});
  }

  // Sums over the labels `sums`: one step for each run of adjacent ones, from the last axis on.
  Value Summed(Value x, const Labels& sums) {
    const auto is_summed = [&](int label) { return HasLabel(sums, label); };
    for (;;) {
      const auto last = std::find_if(x.labels.rbegin(), x.labels.rend(), is_summed).base();
      if (last == x.labels.begin()) {
        return x;
      }
      const auto first =
          std::find_if_not(std::reverse_iterator(last), x.labels.rend(), is_summed).base();
      std::vector<std::int64_t> axes;
      for (auto axis = first; axis != last; ++axis) {
        axes.push_back(axis - x.labels.begin());
      }
      const Tensor constant =
          Tensor::From<std::int64_t>({static_cast<std::int64_t>(axes.size())}, axes);
      Labels labels(x.labels.begin(), first);
      labels.insert(labels.end(), last, x.labels.end());
      Attributes attributes;
      attributes.Set("keepdims", std::int64_t{0});
      x = Add(OpKind::kReduceSum, attributes, {x}, {0, x.dtype, labels}, &constant);
    }
  }

  // An Einsum of one or two operands.
  Value Product(const std::vector<Value>& operands, const Labels& labels) {
    std::string equation;
    for (const Value& operand : operands) {
      equation += (equation.empty() && &operand == &operands[0] ? "" : ",") + Text(operand.labels);
    }
    Attributes attributes;
    attributes.Set("equation", equation + "->" + Text(labels));
    return Add(OpKind::kEinsum, attributes, operands, {0, operands[0].dtype, labels});
  }

 private:
  static std::string Text(const Labels& labels) {
    std::string text;
    for (const int label : labels) {
      text += static_cast<char>('a' + label);
    }
    return text;
  }

  [[nodiscard]] TensorType TypeOf(const Value& value) const {
    std::vector<std::int64_t> dims;
    for (const int label : value.labels) {
      dims.push_back(terms_.Elements({label}));
    }
    return {value.dtype, Shape(std::move(dims))};
  }

  Value Add(OpKind op, const Attributes& attributes, const std::vector<Value>& operands, Value made,
            const Tensor* constant = nullptr) {
    std::vector<TensorType> types;
    types.reserve(operands.size());
    for (const Value& operand : operands) {
      types.push_back(TypeOf(operand));
    }
    const TensorType result = TypeOf(made);
    KernelQuery query{.op = op, .attributes = &attributes, .outputs = {&result}};
    Step step{.count = operands.size()};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      query.inputs.push_back(&types[i]);
      query.constants.push_back(nullptr);
      step.inputs[i] = operands[i].number;
    }
    if (constant != nullptr) {
      query.inputs.push_back(&constant->type());
      query.constants.push_back(constant);
    }
    made.number = state_.operands + state_.offsets.size();
    step.output = made.number;
    // All kernels of Cast give the same bits, so that the fastest may serve.
    step.kernel = InnerKernel(query, op == OpKind::kCast ? DetectIsa() : kIsaAny);
    state_.kernel_bytes = std::max(state_.kernel_bytes, step.kernel.scratch_bytes());
    state_.offsets.push_back(state_.values_bytes);
    state_.values_bytes +=
        (static_cast<std::size_t>(result.size_bytes()) + kLine - 1) / kLine * kLine;
    state_.steps.push_back(std::move(step));
    return made;
  }

  const EinsumTerms& terms_;
  StepsState& state_;
};

// Members of `labels` that the result or one of `values` has, `a` and `b` excepted.
Labels Kept(const EinsumTerms& terms, const std::vector<Value>& values, const Labels& labels,
            std::size_t a, std::size_t b) {
  Labels kept;
  for (const int label : labels) {
    bool has = HasLabel(terms.output, label);
    for (std::size_t i = 0; i < values.size(); ++i) {
      has = has || (i != a && i != b && HasLabel(values[i].labels, label));
    }
    if (has) {
      kept.push_back(label);
    }
  }
  return kept;
}

Labels Without(const Labels& labels, const Labels& others) {
  Labels rest;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(rest),
               [&](int label) { return !HasLabel(others, label); });
  return rest;
}

// The two values whose product takes the fewest multiplications, the first of equals.
std::pair<std::size_t, std::size_t> CheapestPair(const EinsumTerms& terms,
                                                 const std::vector<Value>& values) {
  std::pair<std::size_t, std::size_t> best{0, 1};
  std::int64_t least = -1;
  for (std::size_t a = 0; a < values.size(); ++a) {
    for (std::size_t b = a + 1; b < values.size(); ++b) {
      const Labels& labels = values[a].labels;
      const std::int64_t products =
          terms.Elements(Joined(labels, Without(values[b].labels, labels)));
      if (least < 0 || products < least) {
        best = {a, b};
        least = products;
      }
    }
  }
  return best;
}

}  // namespace

std::string_view EinsumStepsRefusal(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  if (const std::string_view reason = RefusalOfLabels(query, terms); !reason.empty()) {
    return reason;
  }
  const bool in_one_step = terms.inputs.size() == 1
                               ? SumsOf(terms, 0).empty()
                               : terms.inputs.size() == 2 && RefusalOfPair(query, terms).empty();
  return in_one_step ? "leaves to others what they do in one step" : "";
}

std::unique_ptr<KernelState> PrepareEinsumSteps(const KernelQuery& query) {
  const EinsumTerms terms = TermsOf(query);
  const DType dtype = query.inputs[0]->dtype;
  auto state = std::make_unique<StepsState>();
  state->operands = terms.inputs.size();
  StepMaker maker(terms, *state);
  std::vector<Value> values;
  for (std::size_t i = 0; i < terms.inputs.size(); ++i) {
    values.push_back({i, dtype, terms.inputs[i]});
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value& value = values[i];
    value = dtype == DType::kFloat32 ? value : maker.Converted(value, DType::kFloat32);
    const Labels kept = Kept(terms, values, value.labels, i, i);
    value = maker.Summed(value, Without(value.labels, kept));
  }
  while (values.size() > 1) {
    const auto [a, b] = CheapestPair(terms, values);
    const Labels both = Joined(values[a].labels, Without(values[b].labels, values[a].labels));
    const Labels kept = values.size() == 2 ? terms.output : Kept(terms, values, both, a, b);
    values[a] = maker.Product({values[a], values[b]}, kept);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(b));
  }
  if (values[0].labels != terms.output) {
    values[0] = maker.Product(values, terms.output);
  }
  if (dtype != DType::kFloat32) {
    maker.Converted(values[0], dtype);
  }
  return state;
}

std::size_t EinsumStepsScratch(const KernelState& state) {
  const auto& s = static_cast<const StepsState&>(state);
  return s.values_bytes + s.kernel_bytes;
}

void RunEinsumSteps(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const StepsState&>(*args.state);
  for (const Step& step : s.steps) {
    const void* inputs[2] = {nullptr, nullptr};  // axes are constant and not read
    for (std::size_t i = 0; i < step.count; ++i) {
      const std::size_t number = step.inputs[i];
      inputs[i] =
          number < s.operands ? args.inputs[number] : args.scratch + s.offsets[number - s.operands];
    }
    void* output = &step == &s.steps.back() ? args.outputs[0]
                                            : args.scratch + s.offsets[step.output - s.operands];
    step.kernel.Run(inputs, output, args.scratch + s.values_bytes);
  }
}

}  // namespace halftone
