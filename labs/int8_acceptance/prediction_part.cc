// Predicted against measured errors of plans with 8 bits, without latencies. Predictions come from
// the probes alone, before the model has learnt from any measured plan.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "labs/int8_acceptance/acceptance_parts.h"
#include "search/measure/network_measurer.h"
#include "search/model/additive_model.h"
#include "search/probe/network_prober.h"
#include "search/probe/probe_samples.h"
#include "search/strategies/scaled_globals.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr double kNoTime = 1e-6;
constexpr int kDrawn = 30;

// Plans of the whole network, then kDrawn random ones: each group in 8 bits by a chance of the
// plan, else in float32 or a 16-bit format.
std::vector<Assignment> GlobalsOf(const Decisions& decisions) {
  std::vector<Assignment> globals;
  for (const Choice& choice : decisions.AllChoices()) {
    if (!choice.format.is_scaled()) {
      globals.push_back(decisions.Uniform(choice));
    }
  }
  std::ranges::copy(ScaledGlobals(decisions), std::back_inserter(globals));
  return globals;
}

// Choices of a group that are not refused: of formats with scales, or of `rest`.
std::vector<std::size_t> Fitting(const DecisionGroup& group, const GroupSensitivity& sensitivity,
                                 bool scaled, NumericFormat rest) {
  std::vector<std::size_t> fitting;
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    const NumericFormat format = group.choices[c].format;
    if (sensitivity.choices[c].refusal.empty() && (scaled ? format.is_scaled() : format == rest)) {
      fitting.push_back(c);
    }
  }
  return fitting;
}

std::vector<Assignment> Drawn(const Decisions& decisions, const Sensitivity& sensitivity) {
  Rng rng(1);
  std::vector<Assignment> drawn;
  for (int i = 0; i < kDrawn; ++i) {
    const double chance = static_cast<double>(i % 6 + 1) / 6;
    const NumericFormat rest =
        i % 3 == 0 ? NumericFormat() : decisions.formats()[static_cast<std::size_t>(i % 2)];
    Assignment& assignment = drawn.emplace_back(decisions.groups().size(), 0);
    for (std::size_t g = 0; g < assignment.size(); ++g) {
      const bool scaled = rng.Uniform(0, 1) < chance;
      const std::vector<std::size_t> fitting =
          Fitting(decisions.groups()[g], sensitivity.groups[g], scaled, rest);
      assignment[g] = fitting.empty() ? 0 : fitting[rng.Below(fitting.size())];
    }
  }
  return drawn;
}

// Empty: the plan has no accuracy.
std::optional<Accuracy> AccuracyOf(const NetworkMeasurer& measurer, const PrecisionPlan& plan) {
  try {
    const auto outcome = measurer.MeasureAccuracy(plan);
    const auto* accuracy = std::get_if<Accuracy>(&outcome);
    return accuracy == nullptr ? std::nullopt : std::optional(*accuracy);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return std::nullopt;
  }
}

// {"quantised": groups in 8 bits, "predicted", "measured": mean relative L2 error}, by plan.
nlohmann::json PlansOf(const MeasuredNetwork& network, const NetworkMeasurer& measurer,
                       const Decisions& decisions, int threads) {
  std::vector<double> losses;
  std::vector<std::pair<Assignment, double>> measured;
  std::set<Assignment> known;
  const auto measure = [&](const Assignment& assignment, bool is_global) {
    if (!known.insert(assignment).second) {
      return;
    }
    if (const auto accuracy = AccuracyOf(measurer, decisions.PlanFor(assignment))) {
      if (is_global) {
        AddLosses(*accuracy, losses);
      }
      measured.emplace_back(assignment, OutputErrorOf(*accuracy));
    }
  };
  for (const Assignment& assignment : GlobalsOf(decisions)) {
    measure(assignment, true);
  }
  NetworkProber prober(network.model.graph, network.samples,
                       {.threads = threads, .time_budget_s = kNoTime});
  const AdditiveModel model(decisions, prober.Probe(decisions, losses));
  for (const Assignment& assignment : Drawn(decisions, model.sensitivity())) {
    measure(assignment, false);
  }
  nlohmann::json plans = nlohmann::json::array();
  for (const auto& [assignment, loss] : measured) {
    std::size_t quantised = 0;
    for (std::size_t g = 0; g < assignment.size(); ++g) {
      quantised += decisions.groups()[g].choices[assignment[g]].format.is_scaled() ? 1 : 0;
    }
    plans.push_back({{"quantised", quantised},
                     {"predicted", model.Predict(assignment).loss},
                     {"measured", loss}});
  }
  return plans;
}

}  // namespace

std::string PredictionFigures(const std::filesystem::path& folder, const PartOptions& options) {
  const MeasuredNetwork network = LoadMeasured(folder, options.samples);
  const Graph& graph = network.model.graph;
  const TargetSpec target = LoadTarget("host");
  const NetworkMeasurer measurer(graph, network.samples, AccuracyAlone(options.threads));
  nlohmann::json json = {{"samples", network.samples.size()}};
  for (const bool correct_bias : {true, false}) {
    const SampleScales scales =
        CalibratedScales(graph, network.samples, correct_bias, options.threads);
    const Decisions decisions = DecisionsWith(graph, target, scales.quantization);
    json[correct_bias ? "plans" : "plans_without_bias_correction"] =
        PlansOf(network, measurer, decisions, options.threads);
  }
  return json.dump();
}

}  // namespace halftone
