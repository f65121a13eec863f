// A graph compiled for one precision plan: kernels chosen, casts placed, memory planned. While it
// runs, nothing is decided, allocated or locked. What is measured is what is shipped.
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
  // Constants of the same graph; null: the executable has its own.
  SharedConstants* shared = nullptr;
  // Leaves out kernels that allocate while they run: all kernels of oneDNN. A step whose fastest
  // kernel is left out gets slower, and its bits may differ within the bounds of the kernels.
  bool allocation_free = false;
  bool fuse = true;  // false: each node is a step of its own, and every value is made
};

// One kernel call, for reports.
struct StepInfo {
  std::string node;  // node name; for a cast: "cast <value> to <dtype>"
  // Nodes of the network that the step computes, `node` first; empty for casts and moves.
  std::vector<std::string> parts;
  std::string op;
  std::string kernel;
  DType dtype = DType::kFloat32;  // of the first operand; without one, of the first result
  std::vector<PassedOver> passed_over;
  bool tuned = false;  // operator tuning chose another kernel than the static order does
  // Operator of `node`. It differs from `op` only for a step that rounds the node's own result.
  std::string node_op;
  // Numbers of buffers (Executable::BufferOf()); -1 for a constant or an operand that is left out.
  std::vector<int> reads;
  std::vector<int> writes;
  std::vector<ValueId> values;  // parallel to writes: what each result holds; kNoValue: nothing
  bool rearranged = false;      // results hold the elements of `values` in another order or shape
  bool channels_last = false;   // the results are [N, H, W, C] where the graph has [N, C, H, W]
  bool in_place = false;        // the results are there already: the kernel is not called
  std::int64_t bytes = 0;       // of operands and results; 0 if in_place
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
  // Workspace on memory that workspaces of other executables may have too; no two of them may run
  // at the same time. `arena`: peak_arena_bytes() of uint8, or more.
  [[nodiscard]] Workspace NewWorkspace(Tensor arena) const;

  // Types of graph inputs and outputs, in graph order: from the plan, or from the graph if the plan
  // gives none.
  [[nodiscard]] std::span<const TensorType> input_types() const;
  [[nodiscard]] std::span<const TensorType> output_types() const;

  // Called after a step, with its index and the data of its outputs.
  using StepObserver = std::function<void(std::size_t step, std::span<void* const> outputs)>;

  // `inputs` and `outputs` have the types above; outputs are overwritten. Allocates nothing, but
  // for steps with a oneDNN kernel, which allocate a few KB each (kernels/onednn/library.h,
  // CompileOptions::allocation_free).
  void Run(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs) const;

  // Run() on memory of the caller. Each pointer leads to the elements of one input or output; its
  // address is a multiple of Tensor::kAlignment. No output overlaps an input or another output.
  void RunOn(Workspace& workspace, std::span<const std::byte* const> inputs,
             std::span<std::byte* const> outputs) const;

  // Reason why the outputs of the last run are invalid, in one sentence: a node whose extents
  // depend on data (src/ir/run_time_extent.h) found another number of elements than its shape is
  // planned for. Empty if the outputs are valid.
  [[nodiscard]] std::string OtherCount(const Workspace& workspace) const;

  // Allocates workspace and outputs, then runs. Error kUnsupported, with the text of OtherCount(),
  // if that text is not empty.
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;

  // Runs every step alone, with a call of `observer` after each, to find the first bad node. The
  // observer may change the data.
  void RunObserved(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                   const StepObserver& observer) const;

  // Called after a step, with its index.
  using StepTimer = std::function<void(std::size_t step)>;
  // Runs every step alone, with a call of `timer` after each, for profiles.
  void RunTimed(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                const StepTimer& timer) const;

  // Converts samples from the graph's dtypes to input_types(), rounded once, to nearest even.
  [[nodiscard]] std::vector<Tensor> ConvertInputs(std::span<const Tensor> inputs) const;
  // New tensors of output_types().
  [[nodiscard]] std::vector<Tensor> NewOutputs() const;

  // Overflow arithmetic of float16 on the target. Run() always computes with infinities; only
  // checked runs (src/exec/checked_run.h) saturate.
  [[nodiscard]] OverflowArithmetic overflow() const;
  // Clipped weights in the order of the nodes that read them.
  [[nodiscard]] std::span<const ClippedWeight> clipped_weights() const;

  // Number of the buffer that the producer of `value` writes; a view has the number of its source.
  // -1 for constants and for values without producer.
  [[nodiscard]] int BufferOf(ValueId value) const;
  [[nodiscard]] std::vector<int> input_buffers() const;  // parallel to Graph::inputs
  [[nodiscard]] std::vector<int> output_buffers() const;
  [[nodiscard]] std::size_t buffer_count() const;  // greater than every buffer number

  [[nodiscard]] std::span<const StepInfo> steps() const;
  // Types of the outputs of a step.
  [[nodiscard]] std::span<const TensorType> step_output_types(std::size_t step) const;

  // Bytes of the arena (activations and scratch), and the lower bound of any arena: the most bytes
  // alive at once.
  [[nodiscard]] std::size_t peak_arena_bytes() const;
  [[nodiscard]] std::size_t liveness_bound_bytes() const;

 private:
  friend Executable Compile(const Graph&, const PrecisionPlan&, const CompileOptions&);
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Error kUnsupported: no kernel serves a node; the message names the node and every refusal. Other
// errors as Lower() (src/exec/program.h).
Executable Compile(const Graph& graph, const PrecisionPlan& plan,
                   const CompileOptions& options = {});

}  // namespace halftone
