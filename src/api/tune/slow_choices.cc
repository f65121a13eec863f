#include "src/api/tune/slow_choices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "src/exec/tunable_steps.h"

namespace halftone {
namespace {

// Shapes of the calls that compute each node, where a profile knows its operator.
std::map<std::string, CallShape> ShapesOf(const Decisions& decisions, const Choice& choice,
                                          int threads) {
  const PrecisionPlan plan = decisions.PlanFor(decisions.Uniform(choice));
  std::map<std::string, CallShape> shapes;
  for (const TunableStep& step : TunableSteps(decisions.graph(), plan, threads, {}, 1)) {
    if (step.shape && !step.parts.empty()) {
      shapes.emplace(step.parts.front(), *step.shape);
    }
  }
  return shapes;
}

// The least ratio among the nodes of a group that both know; empty: there is none.
std::optional<double> LeastRatio(const Decisions& decisions, const DecisionGroup& group,
                                 const MachineProfile& profile,
                                 const std::map<std::string, CallShape>& chosen,
                                 const std::map<std::string, CallShape>& reference) {
  std::optional<double> least;
  for (const NodeId id : group.nodes) {
    const std::string& name = decisions.graph().node(id).name;
    const auto here = chosen.find(name);
    const auto there = reference.find(name);
    if (here == chosen.end() || there == reference.end()) {
      continue;
    }
    const auto ratio = profile.CompareFastest(here->second, there->second);
    if (!ratio) {
      return std::nullopt;
    }
    const double surely = std::exp(ratio->mean - ratio->spread);
    least = std::min(least.value_or(surely), surely);
  }
  return least;
}

}  // namespace

std::vector<SlowChoice> SlowChoicesOf(const Decisions& decisions, const MachineProfile& profile,
                                      int threads) {
  const std::vector<Choice> choices = decisions.AllChoices();
  if (choices.empty()) {
    return {};
  }
  const auto reference = ShapesOf(decisions, choices.front(), threads);
  std::vector<SlowChoice> slow;
  for (const Choice& choice : choices) {
    if (choice.format == DType::kFloat32) {
      continue;
    }
    const auto chosen = ShapesOf(decisions, choice, threads);
    for (const DecisionGroup& group : decisions.groups()) {
      if (std::ranges::find(group.choices, choice) == group.choices.end()) {
        continue;
      }
      const auto ratio = LeastRatio(decisions, group, profile, chosen, reference);
      if (!ratio || *ratio <= kSlowChoiceRatio) {
        continue;
      }
      for (const NodeId step : group.steps) {
        const NodeId main = decisions.steps().main[static_cast<std::size_t>(step)];
        slow.push_back(
            {.step = decisions.graph().node(main).name, .choice = choice, .ratio = *ratio});
      }
    }
  }
  return slow;
}

}  // namespace halftone
