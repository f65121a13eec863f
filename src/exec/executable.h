// A graph compiled for one precision plan: kernels chosen, casts placed, memory planned. Nothing is
// decided, allocated or locked while it runs. What is measured is what is shipped.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/clipped_weights.h"
#include "src/exec/kernel_choices.h"
#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct CompileOptions {
  KernelPreference kernels;
  KernelChoices choices;  // of operator tuning; layouts do not depend on them
  SharedConstants* shared =
      nullptr;  // constants of the same graph; null: the executable has its own
  // Leaves out kernels that allocate while they run: all of oneDNN. Slower where these are the
  // fastest, and bits may differ within their bounds.
  bool allocation_free = false;
  bool fuse = true;  // false: each node is a step of its own, and every value is made
};

// One kernel call, for reports.
struct StepInfo {
  std::string node;  // node name; for a cast: "cast <value> to <dtype>"
  // The nodes of the network that it computes, `node` first; empty for casts and moves.
  std::vector<std::string> parts;
  std::string op;
  std::string kernel;
  DType dtype = DType::kFloat32;
  std::vector<PassedOver> passed_over;
  bool tuned = false;  // another kernel than that of the static order: operator tuning chose it
  // The operator of `node`; another one than `op` for the cast that rounds a node's own result.
  std::string node_op;
  // Buffers by number, as Executable::BufferOf() counts them; -1: none, or a constant.
  std::vector<int> reads;
  std::vector<int> writes;
  std::vector<ValueId> values;  // parallel to writes: what each holds; kNoValue: nothing
  bool rearranged = false;      // the results hold the elements of `values` in another order
  bool channels_last = false;   // the results are [N, H, W, C] where the graph has [N, C, H, W]
  bool in_place = false;        // its results are there already: the kernel is not called
  std::int64_t bytes = 0;       // of operands and results; 0 in place
};

// Mutable part of a run: arena and pointer tables. Each thread that runs needs its own.
class Workspace {
 public:
  Workspace() = default;

 private:
  friend class Executable;
  static constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);
  // The first step of the last run that found another number of elements than planned.
  std::size_t other_count_ = kNoStep;
  Tensor arena_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

// Move-only; immutable after Compile(), so several threads may Run() it with a Workspace each.
class Executable {
 public:
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  [[nodiscard]] Workspace NewWorkspace() const;

  // Types of graph inputs and outputs, in graph order: by the plan, else the original ones.
  [[nodiscard]] std::span<const TensorType> input_types() const;
  [[nodiscard]] std::span<const TensorType> output_types() const;

  // Called after each step with the step's index and its output tensors' data.
  using StepObserver = std::function<void(std::size_t step, std::span<void* const> outputs)>;

  // inputs and outputs have the types above; outputs are overwritten. Allocates nothing, except for
  // steps that run a oneDNN kernel: a few KB each (kernels/onednn/library.h,
  // CompileOptions::allocation_free).
  void Run(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs) const;

  // The same on memory of the caller: the elements of each input and output, at addresses that are
  // multiples of Tensor::kAlignment. No output overlaps an input or another output.
  void RunOn(Workspace& workspace, std::span<const std::byte* const> inputs,
             std::span<std::byte* const> outputs) const;

  // Reason why the outputs of the last run are invalid, in one sentence: a node whose extents
  // depend on data (src/ir/run_time_extent.h) found another number of elements than its shape is
  // planned for. Empty: they are valid.
  [[nodiscard]] std::string OtherCount(const Workspace& workspace) const;

  // Allocates workspace and outputs. Error kUnsupported, with the text of OtherCount(), unless that
  // is empty.
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;

  // Runs with an observer between steps, to find the first bad node. It may change the data.
  void RunObserved(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                   const StepObserver& observer) const;

  // Runs with a call after each step: for profiles.
  using StepTimer = std::function<void(std::size_t step)>;
  void RunTimed(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                const StepTimer& timer) const;

  // Converts samples in the graph's dtypes to input_types(): rounded once, to nearest even.
  [[nodiscard]] std::vector<Tensor> ConvertInputs(std::span<const Tensor> inputs) const;
  // New tensors of output_types().
  [[nodiscard]] std::vector<Tensor> NewOutputs() const;

  // Overflow arithmetic of float16 on the target (src/exec/checked_run.h); Run() computes with
  // infinities.
  [[nodiscard]] OverflowArithmetic overflow() const;
  // Clipped weights, by node, in order.
  [[nodiscard]] std::span<const ClippedWeight> clipped_weights() const;

  // Number of the buffer that the producer of `value` writes; a view has that of its source. -1 for
  // constants.
  [[nodiscard]] int BufferOf(ValueId value) const;
  [[nodiscard]] std::vector<int> input_buffers() const;  // parallel to Graph::inputs
  [[nodiscard]] std::vector<int> output_buffers() const;
  [[nodiscard]] std::size_t buffer_count() const;  // above every buffer number

  [[nodiscard]] std::span<const StepInfo> steps() const;
  // Types of the outputs of a step.
  [[nodiscard]] std::span<const TensorType> step_output_types(std::size_t step) const;

  // Bytes of the arena (activations and scratch), and their lower bound: the most bytes alive at
  // once.
  [[nodiscard]] std::size_t peak_arena_bytes() const;
  [[nodiscard]] std::size_t liveness_bound_bytes() const;

 private:
  friend Executable Compile(const Graph&, const PrecisionPlan&, const CompileOptions&);
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Error kUnsupported when no kernel serves a node (naming the node and every refusal).
Executable Compile(const Graph& graph, const PrecisionPlan& plan,
                   const CompileOptions& options = {});

}  // namespace halftone
