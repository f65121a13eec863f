// Operator tuning with a knowledge base: stored timings are used, new ones are stored.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "knowledge_base/store.h"
#include "search/operators/machine_profile.h"
#include "src/api/halftone.h"
#include "src/exec/kernel_choices.h"
#include "src/exec/shared_constants.h"
#include "src/exec/tunable_steps.h"
#include "src/target/target_spec.h"

namespace halftone {

// The choices of a bank for a network on `threads` threads, made with the kernels of this program
// on this CPU.
KernelChoices ChoicesFrom(TrialStore& store, const Graph& graph, int threads);

// Timings that tests plant in place of running networks.
struct PlantedTimings {
  std::function<std::vector<OperatorTiming>(std::span<const TunableStep>)> operators;
  std::function<Latency(const KernelChoices&)> network;  // against the static order
  std::function<MachineProfile(const std::set<OpKind>&)> profile;
};

// Tunes the operators of one plan after the other; an operator that the store knows is not measured
// again.
class OperatorTuning {
 public:
  // All must outlive it; `options.bank` is not read. `target` gives the modes of a machine profile.
  OperatorTuning(const Model& model, const Sample& sample, const TargetSpec& target,
                 const OperatorTuningOptions& options, const OperatorTunerHooks& hooks,
                 TrialStore& store, PlantedTimings planted = {});

  // Stores the timings. In mode kFull, new choices that make the whole network slower are dropped:
  // the static order stays.
  OperatorTuningResult Tune(const PrecisionPlan& plan);

 private:
  [[nodiscard]] bool Stopped() const;
  [[nodiscard]] std::vector<OperatorTiming> Measure(const PrecisionPlan& plan,
                                                    const KernelChoices& known,
                                                    std::span<const TunableStep> steps) const;
  // Removes from the steps the kernels that the machine profile rules out. A step with one kernel
  // left, that of the static order, is removed and returned.
  std::vector<TunableStep> NarrowByProfile(std::vector<TunableStep>& steps) const;
  // Removes the steps whose kernels were timed for the same call in another implementation mode,
  // and returns their timings.
  std::vector<OperatorTiming> TakeTimed(std::vector<TunableStep>& steps) const;
  [[nodiscard]] OperatorTiming CompareNetwork(const PrecisionPlan& plan,
                                              const KernelChoices& choices) const;
  [[nodiscard]] std::string NetworkSignature(const PrecisionPlan& plan,
                                             const KernelChoices& choices) const;
  [[nodiscard]] bool ChangesAnyStep(const PrecisionPlan& plan, const KernelChoices& choices) const;

  const Model& model_;
  const Sample& sample_;
  const TargetSpec& target_;
  const OperatorTuningOptions& options_;
  const OperatorTunerHooks& hooks_;
  TrialStore& store_;
  PlantedTimings planted_;
  ThreadPool pool_;
  std::map<std::string, OperatorTiming> timed_;  // by call without mode, and kernels
  std::unique_ptr<SharedConstants> shared_;      // of all variants and plans
};

}  // namespace halftone
