// Cache of float32 activations on the probed samples. It holds all activations if they fit.
// Otherwise it holds checkpoints, and recomputes the other activations of a segment while the
// groups of the segment are probed (search/probe/checkpoints.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "search/probe/checkpoints.h"
#include "search/probe/error_cuts.h"
#include "search/probe/probe_options.h"
#include "search/probe/probe_samples.h"
#include "search/probe/probed_network.h"
#include "search/space/decisions.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Network and options of the probes of errors. The objects that a ProbeSetup refers to must outlive
// it.
struct ProbeSetup {
  const Decisions& decisions;
  const ProbedNetwork& network;
  const ErrorCuts& cuts;  // to which errors are carried
  const ProbeOptions& options;
  const CompileOptions& compile;
  const PrecisionPlan& reference;  // plan of float32
  const ThreadPool& pool;
};

// Cached and recomputed values are bit for bit the same, because the same kernels compute them from
// the same operands.
class ActivationCache {
 public:
  // Runs the network on `wanted` samples, chosen by `losses` (search/probe/probe_samples.h), or on
  // fewer if their results exceed options.max_kept_bytes. If the results of four samples (of
  // options.min_samples if that is more) exceed it, the cache holds checkpoints. If these do not
  // fit either, it uses fewer samples, but at least one.
  ActivationCache(const ProbeSetup& setup, const Dataset& dataset, std::size_t wanted,
                  std::span<const double> losses = {});

  [[nodiscard]] std::size_t samples() const { return stored_.size(); }

  [[nodiscard]] const ProbedNetwork& network() const { return setup_.network; }

  // Number of a probed sample in the whole dataset.
  [[nodiscard]] std::size_t sample_number(std::size_t sample) const {
    return probed_.numbers[sample];
  }

  [[nodiscard]] const std::vector<double>& weights() const { return probed_.weights; }

  // Recomputes the values that the probes of a group need and that are not cached. Call it before
  // Find() and At(). It invalidates earlier results of both.
  void Prepare(std::size_t group);

  // A value that some step makes or a graph input, on a probed sample, in float32 if modes can
  // change its dtype. Null for a constant, for a value inside a step, and for a value that is
  // neither cached nor needed by the prepared group.
  [[nodiscard]] const Tensor* Find(std::size_t sample, ValueId value) const;
  // Result of Find(), with Error kInternal in place of null.
  [[nodiscard]] const Tensor& At(std::size_t sample, ValueId value) const;

  // Cost of filling the cache so far, in runs of the network on one sample. All operators weigh the
  // same.
  [[nodiscard]] double runs() const { return runs_; }

  // Peak bytes of the cache, without the memory of a run.
  [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }

  // One sentence if the results for a single sample exceed options.max_kept_bytes, or if fewer
  // samples fit than four (or options.min_samples, if that is more); else empty.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  using Activations = std::map<ValueId, Tensor>;

  static constexpr std::size_t kNoSegment = static_cast<std::size_t>(-1);

  // Fills plan_. Returns the number of samples to probe, of `count` samples.
  std::size_t Plan(std::size_t count, std::size_t wanted);
  void CountBytes();

  ProbeSetup setup_;
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
