// Global plans of networks in 8 bits, for tests: scales that fit anything, and choices by name.
#pragma once

#include <string>
#include <vector>

#include "search/space/decisions.h"
#include "src/ir/graph.h"
#include "src/quantization/schemes.h"

namespace halftone::testing {

// From -4 to 4 for every tensor.
inline SharedQuantization ScalesOf(const Graph& graph) {
  Quantization quantization;
  for (const Value& value : graph.values) {
    if (!value.constant) {
      quantization.activations[value.name] = ActivationScaleOf({-4, 4});
    }
  }
  return SharedQuantization(quantization);
}

// "conv1: int8 to float32" for each group.
inline std::vector<std::string> ChoicesOf(const Decisions& decisions,
                                          const Assignment& assignment) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    const DecisionGroup& group = decisions.groups()[g];
    const Choice& choice = group.choices[assignment[g]];
    names.push_back(group.name + ": " +
                    NameOf(Choice{.format = choice.format, .wide = choice.wide}));
  }
  return names;
}

}  // namespace halftone::testing
