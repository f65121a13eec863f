// Cache of float32 activations on the probed samples: all activations if they fit, else
// checkpoints, and the other activations of a segment while its groups are probed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/checkpoints.h"
#include "search/probe/probe_options.h"
#include "search/probe/probe_samples.h"
#include "search/space/decisions.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The values are bit for bit the same either way: the same kernels compute them from the same
// operands.
class ActivationCache {
 public:
  // Runs the network on `wanted` samples, chosen by `losses` (search/probe/probe_samples.h), or on
  // fewer if their results exceed options.max_kept_bytes. If the results of four samples
  // (options.min_samples if that is more) exceed it, caches checkpoints; if these do not fit
  // either, uses fewer samples, at least one. All arguments but `losses` must outlive it;
  // `reference` is the plan of float32.
  ActivationCache(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
                  const CompileOptions& compile, const PrecisionPlan& reference,
                  const ThreadPool& pool, std::size_t wanted, std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return stored_.size(); }

  // The network, with the values at which errors are measured as outputs
  // (search/probe/judged_values.h).
  [[nodiscard]] const Graph& graph() const { return graph_; }

  // The network with one node per step (search/space/network_steps.h): values inside a step are not
  // cached.
  [[nodiscard]] const Graph& steps() const { return steps_; }

  // Number of a probed sample in the whole set.
  [[nodiscard]] std::size_t sample_number(std::size_t sample) const {
    return probed_.numbers[sample];
  }

  [[nodiscard]] const std::vector<double>& weights() const { return probed_.weights; }

  // Computes the values of a group; call it before Find() and At(). Invalidates earlier results of
  // both.
  void Prepare(std::size_t group);

  // The value, in float32 if modes can change its dtype. Null: a constant, or a value that the
  // prepared group does not need.
  [[nodiscard]] const Tensor* Find(std::size_t sample, ValueId value) const;
  [[nodiscard]] const Tensor& At(std::size_t sample, ValueId value) const;

  // Cost of filling the cache so far, in runs of the network on one sample; each operator weighs
  // the same.
  [[nodiscard]] double runs() const { return runs_; }

  // Peak bytes of the cache, without the memory of a run.
  [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }

  // One sentence if options.max_kept_bytes is below the minimum of the probes, or allows fewer
  // samples than options.min_samples; else empty.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  using Activations = std::map<ValueId, Tensor>;

  static constexpr std::size_t kNoSegment = static_cast<std::size_t>(-1);

  // Fills plan_ and returns the number of samples.
  std::size_t Plan(std::size_t count, std::size_t wanted);
  void CountBytes();

  const Decisions& decisions_;
  const Graph graph_;
  const Graph steps_;
  const ProbeOptions& options_;
  const CompileOptions& compile_;
  const PrecisionPlan& reference_;
  const ThreadPool& pool_;
  CheckpointPlan plan_;
  std::vector<Activations> stored_;  // per sample
  std::vector<Activations> again_;   // per sample: values of segment_
  std::size_t segment_ = kNoSegment;
  ProbedSamples probed_;
  double runs_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::string warning_;
};

// Outputs of one run with a workspace of its own.
std::vector<Tensor> RunOnce(const Executable& executable, std::span<const Tensor> inputs,
                            const ThreadPool& pool);

}  // namespace halftone
