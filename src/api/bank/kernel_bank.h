// Operator tuning with a knowledge base: uses stored timings and stores new ones.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "knowledge_base/store.h"
#include "search/operators/machine_profile.h"
#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"
#include "src/exec/kernel_choices.h"
#include "src/exec/shared_constants.h"
#include "src/exec/tunable_steps.h"
#include "src/target/target_spec.h"

namespace halftone {

// Kernel choices that the store has for the operators of the network on `threads` threads, from
// timings of this program's kernels on this CPU.
KernelChoices ChoicesFrom(TrialStore& store, const Graph& graph, int threads);

// Timings of operators and of networks, by OperatorTiming::signature.
using TimingBySignature = std::map<std::string, OperatorTiming, std::less<>>;

// Timings that tests plant in place of running networks.
struct PlantedTimings {
  std::function<std::vector<OperatorTiming>(std::span<const TunableStep>)> operators;
  std::function<Latency(const KernelChoices&)> network;  // relative to the static order
  std::function<MachineProfile(const std::set<OpKind>&)> profile;
};

// Tunes the operators of successive plans. An operator with a stored timing is not measured again,
// unless options.measure_again asks for it or, in mode kFull, the timing left out some kernels.
class OperatorTuning {
 public:
  // The references must outlive the object. `options.bank` is not used: `store` takes its place.
  // Machine profiles cover the modes of `target`.
  OperatorTuning(const Model& model, const Sample& sample, const TargetSpec& target,
                 const OperatorTuningOptions& options, const OperatorTunerHooks& hooks,
                 TrialStore& store, PlantedTimings planted = {});

  // Tunes the operators of the plan and stores their timings. In mode kFull, if the new choices
  // make the whole network slower, the operators measured now get the kernels of the static order.
  OperatorTuningResult Tune(const PrecisionPlan& plan);

 private:
  [[nodiscard]] bool Stopped() const;
  [[nodiscard]] std::vector<OperatorTiming> Measure(const PrecisionPlan& plan,
                                                    const KernelChoices& known,
                                                    std::span<const TunableStep> steps) const;
  // Removes from the steps the kernels that the machine profile rules out. A step whose only
  // remaining kernel is that of the static order is moved from `steps` to the result.
  std::vector<TunableStep> NarrowByProfile(std::vector<TunableStep>& steps) const;
  // Removes the steps whose kernels were timed for the same call in another implementation mode,
  // and returns their timings.
  std::vector<OperatorTiming> TakeTimed(std::vector<TunableStep>& steps) const;
  [[nodiscard]] OperatorTiming CompareNetwork(const PrecisionPlan& plan,
                                              const KernelChoices& choices) const;
  [[nodiscard]] std::string NetworkSignature(const PrecisionPlan& plan,
                                             const KernelChoices& choices) const;
  [[nodiscard]] bool ChangesAnyStep(const PrecisionPlan& plan, const KernelChoices& choices) const;
  // In mode kFull, compares the network with `known` and the choices measured now, for `result`. If
  // it is slower with them, resets `measured` to the static order. Returns a new timing of the
  // network that is to be stored; empty: there is none.
  [[nodiscard]] std::optional<OperatorTiming> JudgeInNetwork(const PrecisionPlan& plan,
                                                             const KernelChoices& known,
                                                             const TimingBySignature& stored,
                                                             std::vector<OperatorTiming>& measured,
                                                             OperatorTuningResult& result) const;
  // Stores all timings in one go: choices without the comparison of the network with all of them
  // would be used unchecked.
  void Store(const std::vector<OperatorTiming>& timings) const;

  const Model& model_;
  const Sample& sample_;
  const TargetSpec& target_;
  const OperatorTuningOptions& options_;
  const OperatorTunerHooks& hooks_;
  TrialStore& store_;
  PlantedTimings planted_;
  ThreadPool pool_;
  // Timings of this object's plans. Key: signature of the call without its mode, and the kernels.
  std::map<std::string, OperatorTiming> timed_;
  std::unique_ptr<SharedConstants> shared_;  // constants that all variants and plans share
};

}  // namespace halftone
