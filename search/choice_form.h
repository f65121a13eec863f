// What neighbours of a group see of its choice: the dtypes of operands and of results.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "search/decisions.h"
#include "search/node_choices.h"

namespace halftone {

struct ChoiceForm {
  DType input;
  DType output;

  friend bool operator==(const ChoiceForm&, const ChoiceForm&) = default;
};

inline constexpr ChoiceForm kForms[] = {
    {DType::kFloat32, DType::kFloat32},   {DType::kFloat16, DType::kFloat16},
    {DType::kBFloat16, DType::kBFloat16}, {DType::kFloat16, DType::kFloat32},
    {DType::kBFloat16, DType::kFloat32},
};

inline std::size_t FormOf(const Choice& choice) {
  const ChoiceForm form{choice.dtype, choice.output_dtype()};
  return static_cast<std::size_t>(std::ranges::find(kForms, form) - std::begin(kForms));
}

// Whether reading `to` from a tensor of `from` rounds.
inline bool IsRounded(DType from, DType to) {
  return to != DType::kFloat32 &&
         (from == DType::kFloat32 || (from == DType::kFloat16 && to == DType::kBFloat16));
}

// In which dtypes a group of form `to` reads what the edge brings, and how many elements.
inline std::array<std::pair<DType, std::int64_t>, 2> ReadingsOf(const DecisionEdge& edge,
                                                                const ChoiceForm& to) {
  return {{{to.input, edge.elements}, {to.output, edge.residual_elements}}};
}

}  // namespace halftone
