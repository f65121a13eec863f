// Operator tuning with a knowledge base: stored timings are used, new ones are stored.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/exec/kernel_choices.h"
#include "src/exec/tunable_steps.h"

namespace halftone {

// The choices of a bank for a network on `threads` threads, made with the kernels of this program
// on this CPU.
KernelChoices ChoicesFrom(TrialStore& store, const Graph& graph, int threads);

// Timings that tests plant in place of running networks.
struct PlantedTimings {
  std::function<std::vector<OperatorTiming>(std::span<const TunableStep>)> operators;
  std::function<Latency(const KernelChoices&)> network;  // against the static order
};

// Tunes the operators of one plan after the other; an operator that the store knows is not measured
// again.
class OperatorTuning {
 public:
  // All must outlive it; `options.bank` is not read.
  OperatorTuning(const Model& model, const Sample& sample, const OperatorTuningOptions& options,
                 const OperatorTunerHooks& hooks, TrialStore& store, PlantedTimings planted = {});

  // Stores each timing as soon as it is found. New choices that make the whole network slower are
  // dropped: the static order stays.
  OperatorTuningResult Tune(const PrecisionPlan& plan);

 private:
  [[nodiscard]] bool Stopped() const;
  [[nodiscard]] std::vector<OperatorTiming> Measure(const PrecisionPlan& plan,
                                                    const KernelChoices& known,
                                                    std::span<const TunableStep> steps) const;
  [[nodiscard]] OperatorTiming CompareNetwork(const PrecisionPlan& plan,
                                              const KernelChoices& choices) const;
  [[nodiscard]] std::string NetworkSignature(const PrecisionPlan& plan,
                                             const KernelChoices& choices) const;
  [[nodiscard]] bool ChangesAnyStep(const PrecisionPlan& plan, const KernelChoices& choices) const;

  const Model& model_;
  const Sample& sample_;
  const OperatorTuningOptions& options_;
  const OperatorTunerHooks& hooks_;
  TrialStore& store_;
  PlantedTimings planted_;
  ThreadPool pool_;
};

}  // namespace halftone
