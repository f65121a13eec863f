// A prober without a network: its sensitivities follow from the formula of FakeMeasurer.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "search/probe/prober.h"
#include "search/trial/pareto_front.h"
#include "tests/support/fake_measurer.h"

namespace halftone::testing {

// Gives for each decision the result of FakeMeasurer for a plan with that decision alone, with the
// error multiplied by `factor`, because real probes see only few samples.
class PlantedProber : public Prober {
 public:
  PlantedProber(FakeMeasurer& measurer, double factor) : measurer_(measurer), factor_(factor) {}

  Sensitivity Probe(const Decisions& decisions, std::span<const double> /*losses*/) override {
    ++calls;
    Sensitivity sensitivity;
    sensitivity.weights = {1};
    const Assignment reference(decisions.groups().size(), 0);
    const double all = LatencyOf(decisions.PlanFor(reference));
    const double node = all / static_cast<double>(decisions.groups().size());
    for (std::size_t g = 0; g < decisions.groups().size(); ++g) {
      GroupSensitivity& group = sensitivity.groups.emplace_back();
      group.largest_value = g == 2 ? 1e5 : 1;
      for (const NumericFormat format : decisions.formats()) {
        group.formats[format].errors = {0};
      }
      for (std::size_t c = 0; c < decisions.groups()[g].choices.size(); ++c) {
        Assignment assignment = reference;
        assignment[g] = c;
        const PrecisionPlan plan = decisions.PlanFor(assignment);
        ChoiceSensitivity& choice = group.choices.emplace_back();
        const auto outcome = measurer_.Measure(plan);
        measurer_.measured.pop_back();
        if (const auto* measurement = std::get_if<Measurement>(&outcome)) {
          const double loss = ObjectivesOf(*measurement).loss;
          choice.errors = {factor_ * loss * loss};
          choice.time = node + ObjectivesOf(*measurement).latency_ratio - all;
        } else {
          choice.errors = {0};
          choice.time = node / 2;
        }
      }
    }
    return sensitivity;
  }

  int calls = 0;

 private:
  double LatencyOf(const PrecisionPlan& plan) {
    const auto outcome = measurer_.Measure(plan);
    measurer_.measured.pop_back();
    return std::get<Measurement>(outcome).latency.ratio;
  }

  FakeMeasurer& measurer_;
  double factor_;
};

}  // namespace halftone::testing
