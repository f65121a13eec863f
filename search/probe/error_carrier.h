// Carrier of errors: from the results of a group to the outputs of the network, by running what
// lies between; with cuts (search/probe/error_cuts.h), to the next cut, and from there with the
// gains of the values at the cut.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/activation_cache.h"
#include "search/probe/error_cuts.h"
#include "search/space/decisions.h"
#include "search/space/subgraph.h"
#include "src/exec/executable.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Errors are powers: squares of relative L2 errors. Not thread safe.
class ErrorCarrier {
 public:
  // Results of a group, one tensor for each output of its part.
  using Results = std::vector<Tensor>;

  // Two kinds of formats: those with a scale, and the others. Errors of formats with a scale are so
  // much larger that the nodes behind may respond differently to them (a Softmax that saturates, a
  // Relu that switches).
  static constexpr std::size_t kKinds = 2;

  // All arguments must outlive it, `cuts` too. `reference` is the plan of float32.
  ErrorCarrier(const Decisions& decisions, const ActivationCache& cache, const ErrorCuts& cuts,
               const PrecisionPlan& reference, const CompileOptions& compile,
               const ThreadPool& pool);

  // Error power at the outputs per sample when the group produced `results[s]` on sample s; with
  // `adds_differences`, the square of the share of different elements is added. Cuts do not count.
  std::vector<double> AtOutputs(const DecisionGroup& group, std::span<const Results> results,
                                bool adds_differences);

  // Results of group `index` in one kind of formats, one per sample, and their error powers.
  struct Load {
    std::size_t index = 0;
    std::size_t kind = 0;
    std::span<const Results> results;
    std::span<const double> errors;
  };

  // Carries the errors to the end of the segment of the group. Call it for all groups of a segment,
  // then Arrive(), before groups of the next one.
  void Carry(const Load& load);

  // Gain of a group for one kind of formats.
  struct Gain {
    std::size_t index = 0;
    std::size_t kind = 0;
    std::vector<double> of_sample;  // error power at the outputs over that of the results
    double mean = 0;                // the same of the sums over the samples
  };

  // Carries what is at the end of the segment to the outputs. Returns the gains of all loads since
  // the last call, in the order of the loads.
  std::vector<Gain> Arrive();

  // Cost so far, in runs of the network on one sample. All steps weigh the same.
  [[nodiscard]] double runs() const { return runs_; }

 private:
  // The nodes between; without an executable if there are none.
  struct Between {
    Subgraph part;
    std::optional<Executable> executable = {};
  };

  // A value at the end of the segment, with the largest error that was carried to it, per sample.
  struct Largest {
    std::vector<Tensor> tensors;
    std::vector<double> errors;
    double sum = 0;
  };

  // Errors that were carried: to the outputs, or to values at a cut.
  struct Carried {
    std::size_t index = 0;
    std::size_t kind = 0;
    std::vector<double> errors;
    std::vector<double> at_outputs;                      // empty: a cut lies between
    std::map<ValueId, std::vector<double>> at_cut = {};  // by value, per sample
  };

  [[nodiscard]] Between BetweenIn(const Subgraph& of_steps) const;
  // Values of a sample when `changed` replaces what the cache holds and the nodes between have run.
  std::map<ValueId, Tensor> Run(const Between& between, std::size_t sample,
                                std::map<ValueId, Tensor> changed);
  [[nodiscard]] double ErrorOf(const std::map<ValueId, Tensor>& values, std::size_t sample,
                               bool adds_differences) const;
  // Gains of a value at the cut, per sample.
  std::vector<double> GainsFrom(ValueId value, const Largest& largest);

  const Decisions& decisions_;
  const ActivationCache& cache_;
  const ErrorCuts& cuts_;
  const PrecisionPlan& reference_;
  const CompileOptions& compile_;
  const ThreadPool& pool_;
  bool discrete_;   // no output of the network is floating
  NodeId end_ = 0;  // of the segment
  std::vector<Carried> carried_;
  std::array<std::map<ValueId, Largest>, kKinds> largest_;
  double runs_ = 0;
};

}  // namespace halftone
