// Checked runs of a network: the results of each step are searched for values that are not finite.
// Float16 results then follow the overflow arithmetic of the plan's target:
// - Inf/NaN: results stay as IEEE has them.
// - saturation: infinities become 65504 of the same sign and NaN become 0, before another step
//   reads them. This holds for every step that makes float16, casts included. bfloat16, float32 and
//   the inputs of the graph are never changed.
//
// An element overflows if it is not finite although the float32 reference is finite there. A result
// with such elements is a finding if no operand of its step had any: what follows from an earlier
// finding does not count. Infinities that float32 has too (attention masks) are a finding only
// where saturation first makes them finite (OverflowFinding::in_float32_too). A value beyond 65504
// that rounds to 65504 (below 65520) is finite.
//
// Checked runs serve accuracy only: timed runs use Executable::Run().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/exec/executable.h"
#include "src/exec/overflow.h"
#include "src/ir/graph.h"

namespace halftone {

// Findings of checked runs by step and output. Parallel runs have a tally each; the tallies are
// added up in the order of their samples.
class CensusTally {
 public:
  // Adds the findings of `later`, whose samples follow those seen so far.
  void Add(const CensusTally& later);
  [[nodiscard]] OverflowCensus census() const;

 private:
  friend class CheckedRunner;

  std::int64_t samples_ = 0;
  bool status_ = false;
  // Findings by step + 1 (0 for graph inputs) and by output. The second key of a finding with
  // in_float32_too is the number of outputs of the step + output.
  std::map<std::pair<std::size_t, std::size_t>, OverflowFinding> findings_;
};

class CheckedRunner {
 public:
  // Returns a float32 executable of the same graph. It must make every value: CompileOptions::fuse
  // is false.
  using Reference = std::function<const Executable&()>;

  // The graph, the executable and the executable that `reference` returns must outlive it.
  // `reference` is called, and its executable run, only for a sample with values that are not
  // finite. Not thread safe.
  CheckedRunner(const Graph& graph, const Executable& executable, Reference reference);
  ~CheckedRunner();

  // Converts a sample from the dtypes of the graph, runs it and adds its findings to the census.
  // `name` names the sample in findings. Returns the outputs in the dtypes of the executable.
  std::vector<Tensor> Run(std::span<const Tensor> sample, std::string_view name);

  // Executable::OtherCount() of the last run.
  [[nodiscard]] std::string OtherCount() const { return executable_.OtherCount(workspace_); }

  // The census of all runs since the last TakeTally().
  [[nodiscard]] OverflowCensus census() const { return tally_.census(); }

  CensusTally TakeTally() { return std::exchange(tally_, {}); }

  // True if an output of the last run holds an element that is not finite although the reference is
  // finite there.
  [[nodiscard]] bool outputs_overflowed() const;

 private:
  class ReferenceRun;
  // Counts of elements that are not finite, and the first of them.
  struct Tally;

  void CheckInputs(std::span<const Tensor> sample, std::span<const Tensor> converted);
  void CheckStep(std::size_t step, std::span<void* const> outputs);
  // Order of the elements of a tensor: that of `value` in the graph, the same with channels last,
  // or unknown.
  enum class Order : std::uint8_t { kOfGraph, kChannelsLast, kOther };
  // Elements to count, from element `first` on. kFinite: elements that are not finite where the
  // reference is finite. kNotFinite: infinities where the reference is not finite either.
  enum class Where : std::uint8_t { kFinite, kNotFinite };
  Tally Count(const TensorType& type, const void* data, std::int64_t first, ValueId value,
              Order order, Where where = Where::kFinite);
  void Note(const std::pair<std::size_t, std::size_t>& place, const OverflowFinding& names,
            const TensorType& type, const Tally& tally);

  const Graph& graph_;
  const Executable& executable_;
  Reference reference_;
  Workspace workspace_;
  std::span<const Tensor> sample_;  // of the run in progress
  std::string_view sample_name_;
  std::unique_ptr<ReferenceRun> reference_run_;  // of that sample; null until it is needed
  std::vector<bool> tainted_;                    // by buffer: holds elements that overflow
  std::vector<bool> ended_;  // by buffer: follows from infinities of float32 that became finite
  CensusTally tally_;
};

}  // namespace halftone
