#include "search/strategies/scaled_globals.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace halftone {
namespace {

const Choice& ChoiceIn(const Decisions& decisions, const Assignment& assignment,
                       std::size_t group) {
  return decisions.groups()[group].choices[assignment[group]];
}

// By group: true if its results are outputs of the network or are read by a group in a format that
// is not scaled.
std::vector<bool> EndsOf(const Decisions& decisions, const Assignment& assignment) {
  std::vector<bool> is_end(assignment.size());
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    is_end[g] = decisions.output_elements()[g] > 0;
  }
  for (const DecisionEdge& edge : decisions.edges()) {
    is_end[edge.from] =
        is_end[edge.from] || !ChoiceIn(decisions, assignment, edge.to).format.is_scaled();
  }
  return is_end;
}

// The choice of a group in a format with float32 results, whatever its implementation.
std::optional<std::size_t> WideOf(const Decisions& decisions, std::size_t group,
                                  NumericFormat format) {
  const auto& choices = decisions.groups()[group].choices;
  const auto wide = std::ranges::find_if(
      choices, [&](const Choice& choice) { return choice.format == format && choice.wide; });
  return wide == choices.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(wide - choices.begin()));
}

}  // namespace

Assignment WithFloatEnds(const Decisions& decisions, Assignment assignment,
                         const Assignment& others) {
  bool changes = true;
  while (changes) {  // each round takes a group out of the plain scaled ones
    changes = false;
    const std::vector<bool> is_end = EndsOf(decisions, assignment);
    for (std::size_t g = 0; g < assignment.size(); ++g) {
      const Choice choice = ChoiceIn(decisions, assignment, g);
      if (!is_end[g] || !choice.format.is_scaled() || choice.wide) {
        continue;
      }
      assignment[g] = WideOf(decisions, g, choice.format).value_or(others[g]);
      changes = true;
    }
  }
  return assignment;
}

std::vector<Assignment> ScaledGlobals(const Decisions& decisions) {
  std::vector<Assignment> globals;
  const auto add = [&](const Assignment& assignment) {
    if (std::ranges::find(globals, assignment) == globals.end()) {
      globals.push_back(assignment);
    }
  };
  const Assignment exact(decisions.groups().size(), 0);
  for (const NumericFormat format : decisions.formats()) {
    if (!format.is_scaled()) {
      continue;
    }
    const Assignment scaled = decisions.Uniform({.format = format});
    if (scaled == exact) {
      continue;
    }
    add(WithFloatEnds(decisions, scaled, exact));
    for (const NumericFormat rest : decisions.formats()) {
      if (rest.has_scale()) {
        continue;
      }
      const Assignment others = decisions.Uniform({.format = rest});
      Assignment mixed = scaled;
      for (std::size_t g = 0; g < mixed.size(); ++g) {
        mixed[g] = mixed[g] == 0 ? others[g] : mixed[g];
      }
      add(WithFloatEnds(decisions, std::move(mixed), others));
    }
    add(scaled);
    Assignment wide = scaled;
    for (std::size_t g = 0; g < wide.size(); ++g) {
      wide[g] = WideOf(decisions, g, format).value_or(wide[g]);
    }
    add(wide);
  }
  std::erase_if(globals, [&](const Assignment& assignment) {
    for (std::size_t g = 0; g < assignment.size(); ++g) {
      if (ChoiceIn(decisions, assignment, g).format.is_scaled()) {
        return false;
      }
    }
    return true;
  });
  return globals;
}

}  // namespace halftone
