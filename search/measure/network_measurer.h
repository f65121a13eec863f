// Measurer that runs the network. It measures accuracy on a dataset against float32, and latency in
// rounds interleaved with the float32 anchor. The protocol: docs/internals/latency.md.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/parallel.h"
#include "search/measure/latency_source.h"
#include "search/measure/measurer.h"
#include "search/measure/reference_outputs.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/accuracy/user_metric.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

enum class MeasurePass : std::uint8_t {
  kReference,  // float32 alone, in the constructor
  kPlan,       // a plan; with MeasureOptions::reference_beside also float32
};

// Last clause of a Rejection for values that became infinite or NaN.
inline constexpr std::string_view kKeepNamed =
    "; float32 is finite there, so keep what is named in float32";

// Words before kKeepNamed that introduce a constant which vanished (VanishedConstants()).
inline constexpr std::string_view kLikelyCause = "; a likely cause: ";

struct MeasureOptions {
  int threads = 1;              // threads of the network; 0: all cores
  double quick_budget_s = 0.3;  // seconds of timed runs of Measure(), for plan and anchor together
  // Most seconds of the rounds of Measure() on a clock; the fewest rounds may take longer.
  double quick_most_s = std::numeric_limits<double>::infinity();
  double confirm_budget_s = 2.0;  // seconds of timed runs of Confirm(), likewise
  std::uint64_t seed = 1;         // seed of the order of rounds
  // True: a value that becomes infinite or NaN anywhere in the network (as src/exec/checked_run.h
  // defines it) gives a Rejection at its first sample. False: only such a value at an output gives
  // a Rejection; all samples run, and Measurement::overflow counts these values.
  bool reject_overflow = true;
  LossMetric metric;  // metric of Race() and of Accuracy::loss
  // False: the default metric may lack a value, because no output can be compared.
  bool needs_loss = true;
  // Bytes of float32 outputs that are cached. On samples without cached outputs, float32 runs again
  // for each plan.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
  // Largest number of samples for which an Accuracy stores a value per sample
  // (AccuracyAccumulator).
  std::size_t max_values = kAllValues;
  std::shared_ptr<LatencySource> latency = HostClock();  // never null
  CompileOptions compile;  // with a null `shared`, all executables share the same constants
  // True: float32 runs on each sample right before the plan is judged on it, so that the accuracy
  // of one plan is known sample by sample. False: float32 runs on all samples first; this is also
  // done for a metric of a program, and for a source that runs plans.
  bool reference_beside = false;
  // Called after each sample with the number of samples that are done. If it returns false, the
  // pass ends, and accuracy covers these samples. Empty: the pass covers all samples.
  std::function<bool(MeasurePass pass, std::size_t done)> on_sample = {};
};

// `graph` and `dataset` must outlive it. It is not thread safe, and nothing else should run during
// a measurement.
class NetworkMeasurer : public Measurer {
 public:
  // Compiles the anchor (ReferencePlan) and, unless it runs beside plans, runs it on all samples.
  // Errors: kUsage for no samples or a metric that is not defined for them; kUnsupported if a
  // sample gives another number of elements than the network is compiled for
  // (Executable::OtherCount()); those of Compile().
  NetworkMeasurer(const Graph& graph, const Dataset& dataset, const MeasureOptions& options = {});
  NetworkMeasurer(const NetworkMeasurer&) = delete;
  NetworkMeasurer& operator=(const NetworkMeasurer&) = delete;

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override;
  std::variant<Measurement, Rejection> Race(const PrecisionPlan& plan,
                                            const RacingBounds& bounds) override;
  [[nodiscard]] std::variant<Accuracy, Rejection> MeasureAccuracy(
      const PrecisionPlan& plan) const override;
  // Measures as Measure() does, without a latency.
  std::variant<Measurement, Rejection> MeasureWithoutLatency(const PrecisionPlan& plan);
  // Updates measurement.runtime from LatencySource::FactsOf(), which knows more once the plan was
  // timed. RuntimeRun::own_outputs stays unchanged.
  void TakeFacts(const PrecisionPlan& plan, Measurement& measurement) const;
  // LatencySource::Confirm() with this network.
  Latency ConfirmUntil(const PrecisionPlan& plan, const std::function<bool()>& stop_requested);
  Latency Confirm(const PrecisionPlan& plan) override;
  std::optional<Latency> ConfirmWithin(const PrecisionPlan& plan, const Latency& first,
                                       const ConfirmTime& time) override;

  // Accuracy of the anchor by the same metrics: every error is 0, and top1 is that of float32 on
  // the labels.
  [[nodiscard]] const Accuracy& reference_accuracy() const { return reference_accuracy_; }

  // Seconds that the anchor took for all samples.
  [[nodiscard]] double reference_pass_s() const { return reference_pass_s_; }

  // Seconds that it took to compile the anchor and to build it on the source.
  [[nodiscard]] double compile_s() const { return compile_s_; }

  // Bytes of the arena of the anchor.
  [[nodiscard]] std::int64_t reference_arena_bytes() const {
    return static_cast<std::int64_t>(anchor_.peak_arena_bytes());
  }

  // Mean top-1 of the anchor; empty without labels.
  [[nodiscard]] std::optional<double> reference_top1() const;

 private:
  struct Judged {
    Accuracy accuracy;
    OverflowCensus overflow;
    Accuracy reference = {};   // set with MeasureOptions::reference_beside
    bool own_outputs = false;  // true: outputs of the source were judged
  };

  struct JudgingJob;

  [[nodiscard]] bool Beside() const {
    return options_.reference_beside && user_metric_ == nullptr && !options_.latency->runs_plans();
  }

  [[nodiscard]] bool GoesOn(MeasurePass pass, std::size_t done) const {
    return !options_.on_sample || options_.on_sample(pass, done);
  }

  // Runs float32 on all samples.
  void MeasureReference();

  // float32 executable that computes every value; thread safe.
  [[nodiscard]] const Executable& EveryValue() const;
  // Judges the outputs of the source; if it gives none, the outputs of halftone's kernels.
  [[nodiscard]] std::variant<Judged, Rejection> Judge(CompiledPlan& plan) const;
  [[nodiscard]] std::variant<Judged, Rejection> JudgeOnKernels(const PrecisionPlan& plan,
                                                               const Executable& candidate) const;
  // Runs the plan, and float32 where its outputs are not cached, on a sample.
  void RunSample(std::size_t index, JudgingJob& job) const;
  // Empty: the values that are not finite are no reason to reject the plan.
  [[nodiscard]] std::optional<Rejection> RejectionBy(const OverflowCensus& census,
                                                     const PrecisionPlan& plan,
                                                     bool finite_outputs) const;
  // Judges the plan and returns a measurement without a latency. Stores the reference accuracy if
  // that was measured beside the plan.
  [[nodiscard]] std::variant<Measurement, Rejection> MeasureWithoutLatency(CompiledPlan& plan);
  // Adds the user's own metric, the loss and the names of the outputs. Returns the reason why the
  // metric is not defined; empty if it is defined. `samples`: number of samples that were judged.
  // The user's own metric is left out unless all samples were judged.
  [[nodiscard]] std::string FinishAccuracy(Accuracy& accuracy, std::size_t samples) const;
  [[nodiscard]] TimedNetwork Timed() const;

  [[nodiscard]] const OutputMetric* OwnMetric() const {
    return output_metric_ ? &*output_metric_ : nullptr;
  }

  [[nodiscard]] SampleMetrics MetricsOfSample(std::size_t sample, std::span<const Tensor> reference,
                                              std::span<const Tensor> actual) const;
  [[nodiscard]] std::vector<Tensor> RunAnchor(Workspace& workspace, const Sample& sample) const;
  // Outputs of float32 on a sample, cached or computed again; makes `workspace` if it is needed.
  [[nodiscard]] std::vector<Tensor> ReferenceOf(std::size_t index, const Sample& sample,
                                                std::optional<Workspace>& workspace) const;

  const Graph& graph_;
  const Dataset& dataset_;
  SharedConstants shared_;
  MeasureOptions options_;
  ThreadPool pool_;
  double compile_s_ = 0;
  Executable anchor_;
  // Executable of EveryValue(), compiled on first use.
  mutable std::once_flag every_value_once_;
  mutable std::optional<Executable> every_value_;
  ReferenceOutputs reference_outputs_;
  std::optional<OutputMetric> output_metric_;  // empty: the metric covers all outputs
  std::unique_ptr<UserMetric> user_metric_;    // null: the metric is built in
  Accuracy reference_accuracy_;
  double reference_pass_s_ = 0;
};

}  // namespace halftone
