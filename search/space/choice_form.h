// Boundary formats of a choice: the formats of its operands and of its results, as neighbouring
// groups see them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/space/decisions.h"
#include "search/space/node_choices.h"

namespace halftone {

struct ChoiceForm {
  NumericFormat input;
  NumericFormat output;

  friend bool operator==(const ChoiceForm&, const ChoiceForm&) = default;
};

// All pairs (input, output) of boundary formats in a network: (float32, float32); (f, f) for each
// format f that is not dynamic; (f, float32) for each format f.
class ChoiceForms {
 public:
  explicit ChoiceForms(const Decisions& decisions) : forms_{{DType::kFloat32, DType::kFloat32}} {
    for (const NumericFormat format : decisions.formats()) {
      if (!format.is_dynamic()) {
        forms_.push_back({format, format});
      }
    }
    for (const NumericFormat format : decisions.formats()) {
      forms_.push_back({format, DType::kFloat32});
    }
  }

  [[nodiscard]] std::size_t size() const { return forms_.size(); }

  [[nodiscard]] const ChoiceForm& operator[](std::size_t index) const { return forms_[index]; }

  [[nodiscard]] std::size_t IndexOf(const Choice& choice) const {
    const ChoiceForm form{choice.format, choice.output_format()};
    return static_cast<std::size_t>(std::ranges::find(forms_, form) - forms_.begin());
  }

 private:
  std::vector<ChoiceForm> forms_;
};

// The two formats in which a group with boundary formats `to` reads the tensors of `edge`, each
// with the number of elements that are read in it.
inline std::array<std::pair<NumericFormat, std::int64_t>, 2> ReadingsOf(const DecisionEdge& edge,
                                                                        const ChoiceForm& to) {
  return {{{to.input, edge.elements}, {to.output, edge.residual_elements}}};
}

// True if a tensor stored in `from` must be converted before it is read as `to`. It is not
// converted if `to` holds all values of `from` in the same bytes. A float tensor that is read in a
// dynamic format is not converted either, because the reader itself rounds it.
inline bool IsConverted(NumericFormat from, NumericFormat to) {
  return from.dtype() != to.dtype() || from.is_scaled() != to.is_scaled() ||
         !(to.is_dynamic() || Holds(to, from));
}

}  // namespace halftone
