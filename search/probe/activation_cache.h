// What float32 made on the samples that are probed: all of it where it fits, else checkpoints, and
// the rest of a segment while its groups are probed.
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

// Bit for bit the same values either way: they are made by the same kernels out of the same values.
class ActivationCache {
 public:
  // Runs the network on `wanted` samples, chosen by `losses` (search/probe/probe_samples.h), or on
  // fewer where the results of so many are above options.max_kept_bytes; where those of four are
  // (options.min_samples if that is more), it keeps checkpoints, and only where these do not fit
  // either, fewer samples, but one always. Everything given must outlive it but `losses`;
  // `reference` is the plan of float32.
  ActivationCache(const Decisions& decisions, const Dataset& dataset, const ProbeOptions& options,
                  const CompileOptions& compile, const PrecisionPlan& reference,
                  const ThreadPool& pool, std::size_t wanted, std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return stored_.size(); }

  // The network with the values by which errors are judged for outputs
  // (search/probe/judged_values.h).
  [[nodiscard]] const Graph& graph() const { return graph_; }

  // Its steps, one node each (search/space/network_steps.h): what lies inside a step is not kept.
  [[nodiscard]] const Graph& steps() const { return steps_; }

  // Of the whole set.
  [[nodiscard]] std::size_t sample_number(std::size_t sample) const {
    return probed_.numbers[sample];
  }

  [[nodiscard]] const std::vector<double>& weights() const { return probed_.weights; }

  // Before anything is asked for of a group. What was At() before is gone.
  void Prepare(std::size_t group);

  // float32 where modes can change it. Null: a constant, or not needed by the prepared group.
  [[nodiscard]] const Tensor* Find(std::size_t sample, ValueId value) const;
  [[nodiscard]] const Tensor& At(std::size_t sample, ValueId value) const;

  // Runs of the network on one sample that making all this took, an operator counted as one.
  [[nodiscard]] double runs() const { return runs_; }

  // The most bytes that were held at once, besides what a run takes.
  [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }

  // One sentence where options.max_kept_bytes is less than the least that probes can do with, or
  // allows fewer samples than options.min_samples; else empty.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  using Activations = std::map<ValueId, Tensor>;

  static constexpr std::size_t kNoSegment = static_cast<std::size_t>(-1);

  // Fills plan_ and returns how many samples.
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
  std::vector<Activations> stored_;  // by sample
  std::vector<Activations> again_;   // by sample: of segment_
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
