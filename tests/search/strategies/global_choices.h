// Choices of plans by name, for tests.
#pragma once

#include <string>
#include <vector>

#include "search/space/decisions.h"

namespace halftone::testing {

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
