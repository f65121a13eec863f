#include "search/explain/kept_operators.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/explain/causes.h"
#include "src/accuracy/metrics.h"

namespace halftone {

double DecibelsOf(double error_power) {
  return error_power > 0 ? std::min(kMostInexactDb, -10 * std::log10(error_power) + 0.0)
                         : kExactSqnrDb;
}

double ErrorAtOutputs(const GroupSensitivity& group, const Choice& choice,
                      const ChoiceSensitivity& sensitivity) {
  double sum = std::accumulate(sensitivity.errors.begin(), sensitivity.errors.end(), 0.0);
  if (IsReduced(choice.format)) {  // float32 rounds no operands, however it computes
    const std::vector<double>& errors = group.Of(choice.format).errors;
    sum = std::accumulate(errors.begin(), errors.end(), sum);
  }
  return sensitivity.errors.empty() ? 0 : sum / static_cast<double>(sensitivity.errors.size());
}

std::optional<KeptOperator> RejectedChoice(const DecisionGroup& group,
                                           const GroupSensitivity& sensitivity) {
  // The fastest reduced choice that is possible; without one, the first that is not.
  const ChoiceSensitivity* best = nullptr;
  std::size_t best_choice = 0;
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    const ChoiceSensitivity& choice = sensitivity.choices[c];
    if (group.choices[c].format == DType::kFloat32) {
      continue;
    }
    const bool better =
        best == nullptr || (!best->refusal.empty() && choice.refusal.empty()) ||
        (best->refusal.empty() == choice.refusal.empty() && choice.time < best->time);
    if (better) {
      best = &choice;
      best_choice = c;
    }
  }
  if (best == nullptr) {
    return std::nullopt;
  }
  const double saved_time = sensitivity.choices[0].time - best->time;
  const CauseFacts facts{sensitivity, *best, group.choices[best_choice].format, saved_time};
  const CauseRow& cause = CauseOf(facts);
  return KeptOperator{
      .node = group.name,
      .choice = NameOf(group.choices[best_choice]),
      .refusal = best->refusal,
      .local_sqnr_db = DecibelsOf(best->local_error),
      .sqnr_db = DecibelsOf(ErrorAtOutputs(sensitivity, group.choices[best_choice], *best)),
      .largest_value = sensitivity.largest_value,
      .saved_time = saved_time,
      .cause = std::string(cause.name),
      .evidence = cause.evidence(facts)};
}

std::vector<KeptOperator> KeptOperatorsOf(const SearchInsight& insight, const Trial& trial) {
  std::vector<KeptOperator> kept;
  for (std::size_t g = 0; g < insight.sensitivity.groups.size(); ++g) {
    const DecisionGroup& group = insight.groups[g];
    if (std::ranges::find(trial.kept_nodes, group.name) == trial.kept_nodes.end()) {
      continue;
    }
    if (auto rejected = RejectedChoice(group, insight.sensitivity.groups[g])) {
      kept.push_back(*std::move(rejected));
    }
  }
  return kept;
}

}  // namespace halftone
