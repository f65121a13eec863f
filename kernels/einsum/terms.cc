#include "kernels/einsum/terms.h"

#include <algorithm>
#include <iterator>

#include "src/ir/einsum_equation.h"

namespace halftone {
namespace {

bool RepeatsLabel(const Labels& labels) {
  Labels sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace

std::int64_t EinsumTerms::Elements(const Labels& labels) const {
  std::int64_t elements = 1;
  for (const int label : labels) {
    elements *= extents[static_cast<std::size_t>(label)];
  }
  return elements;
}

EinsumTerms TermsOf(const KernelQuery& query) {
  std::vector<Shape> shapes;
  for (const TensorType* input : query.inputs) {
    shapes.push_back(input->shape);
  }
  const EinsumEquation equation = ParseEinsum(query.attributes->Text("equation", ""), shapes);
  EinsumTerms terms{.extents = equation.extents};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Labels& labels = terms.inputs.emplace_back();
    for (std::size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      if (shapes[i][static_cast<int>(axis)] != 1) {
        labels.push_back(equation.inputs[i][axis]);
      }
    }
  }
  std::copy_if(equation.output.begin(), equation.output.end(), std::back_inserter(terms.output),
               [&](int label) { return terms.extents[static_cast<std::size_t>(label)] != 1; });
  return terms;
}

bool HasLabel(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Labels Joined(const Labels& first, const Labels& second, const Labels& third) {
  Labels all = first;
  all.insert(all.end(), second.begin(), second.end());
  all.insert(all.end(), third.begin(), third.end());
  return all;
}

PairLabels PairLabelsOf(const EinsumTerms& terms) {
  PairLabels labels;
  for (const int label : terms.output) {
    const bool in_first = HasLabel(terms.inputs[0], label);
    const bool in_second = HasLabel(terms.inputs[1], label);
    (in_first && in_second ? labels.batch
     : in_first            ? labels.rows
                           : labels.columns)
        .push_back(label);
  }
  return labels;
}

Labels SumsOf(const EinsumTerms& terms, std::size_t input) {
  Labels sums;
  std::copy_if(terms.inputs[input].begin(), terms.inputs[input].end(), std::back_inserter(sums),
               [&](int label) { return !HasLabel(terms.output, label); });
  return sums;
}

std::string_view RefusalOfLabels(const KernelQuery& query, const EinsumTerms& terms) {
  const DType dtype = query.outputs.at(0)->dtype;
  if (std::any_of(query.inputs.begin(), query.inputs.end(),
                  [&](const TensorType* input) { return input->dtype != dtype; })) {
    return "serves operands and results of one dtype";
  }
  if (terms.extents.size() > kMostLabels) {
    return "serves up to 16 labels";
  }
  return std::any_of(terms.inputs.begin(), terms.inputs.end(), RepeatsLabel)
             ? "serves a label once in an operand"
             : "";
}

std::string_view RefusalOfPair(const KernelQuery& query, const EinsumTerms& terms) {
  if (terms.inputs.size() != 2) {
    return "serves two operands";
  }
  if (const std::string_view reason = RefusalOfLabels(query, terms); !reason.empty()) {
    return reason;
  }
  for (const std::size_t i : {0, 1}) {
    for (const int label : SumsOf(terms, i)) {
      if (!HasLabel(terms.inputs[1 - i], label)) {
        return "sums over labels of both operands only";
      }
    }
  }
  return "";
}

}  // namespace halftone
