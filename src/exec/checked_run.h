// Checked runs of a network: every result is searched for values that are not finite, with the
// overflow arithmetic of the plan's target:
// - Inf/NaN: results stay as IEEE has them.
// - saturation: right after a step that makes float16 (casts included), its infinities become
//   65504 of the same sign and its NaN become 0, before anything reads them. bfloat16 and float32
//   are never changed.
//
// A finding is an element that is not finite where the float32 reference is finite, in the result
// of a step whose operands had no such element. What follows from an earlier finding does not
// count. Infinities that float32 has too (attention masks) are findings only where saturation first
// makes them finite (in_float32_too). A value beyond 65504 that rounds to 65504 (below 65520) is
// finite.
//
// For accuracy only: timed runs use Executable::Run().
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

// Findings of checked runs by step and output. Each of several parallel runs has its own tally;
// tallies are added up in the order of the samples.
class CensusTally {
 public:
  // Adds the findings of `later`, whose samples follow those seen so far.
  void Add(const CensusTally& later);
  [[nodiscard]] OverflowCensus census() const;

 private:
  friend class CheckedRunner;

  std::int64_t samples_ = 0;
  bool status_ = false;
  // Findings by step + 1 (0: graph inputs) and output.
  std::map<std::pair<std::size_t, std::size_t>, OverflowFinding> findings_;
};

class CheckedRunner {
 public:
  // A float32 executable of the same graph that makes every value (CompileOptions::fuse is false).
  using Reference = std::function<const Executable&()>;

  // Graph, executable and what `reference` returns must outlive it. The reference is requested and
  // run only for samples in which something is not finite. Not thread safe.
  CheckedRunner(const Graph& graph, const Executable& executable, Reference reference);
  ~CheckedRunner();

  // Converts the sample (in the dtypes of the graph), runs it and adds to the census.
  std::vector<Tensor> Run(std::span<const Tensor> sample, std::string_view name);

  // Executable::OtherCount() of the last run.
  [[nodiscard]] std::string OtherCount() const { return executable_.OtherCount(workspace_); }

  // The census of all runs since the last TakeTally().
  [[nodiscard]] OverflowCensus census() const { return tally_.census(); }

  CensusTally TakeTally() { return std::exchange(tally_, {}); }

  // True if an output of the last run holds an element that is not finite where the reference is.
  [[nodiscard]] bool outputs_overflowed() const;

 private:
  class ReferenceRun;
  // Counts of elements that are not finite where the reference is.
  struct Tally;

  void CheckInputs(std::span<const Tensor> sample, std::span<const Tensor> converted);
  void CheckStep(std::size_t step, std::span<void* const> outputs);
  // Order of the elements: that of `value`, with the channels last, or another.
  enum class Order : std::uint8_t { kOfGraph, kChannelsLast, kOther };
  // Elements to count, from `first` on: not finite where the reference is finite, or infinite where
  // the reference is not finite either.
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
  std::unique_ptr<ReferenceRun> reference_run_;  // of that sample; null until it is asked for
  std::vector<bool> tainted_;                    // by buffer: holds elements that were counted
  std::vector<bool> ended_;  // by buffer: follows from infinities of float32 that became finite
  CensusTally tally_;
};

}  // namespace halftone
