// Compiled network at one input shape, with the contexts in which it runs.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "halftone/session.h"
#include "kernels/parallel.h"
#include "src/exec/executable.h"

namespace halftone {

// Threads of a run.
struct SessionThreads {
  std::shared_ptr<const ThreadPool> pool;  // pool of the caller; null: each context has its own
  int count = 0;                           // number of threads of one run
};

// Runs the network. Several threads may call any functions at once; each run takes a context, which
// has the memory of one run.
class ShapeRunner {
 public:
  // `graph` gives the names of the inputs and outputs, and is not kept.
  ShapeRunner(const Graph& graph, Executable executable, SessionThreads threads);
  ~ShapeRunner();
  ShapeRunner(const ShapeRunner&) = delete;
  ShapeRunner& operator=(const ShapeRunner&) = delete;

  [[nodiscard]] std::span<const SessionTensor> inputs() const { return inputs_; }

  [[nodiscard]] std::span<const SessionTensor> outputs() const { return outputs_; }

  // True if the inputs have the shapes of this network; dtypes are not compared.
  [[nodiscard]] bool HasShapes(std::span<const ConstTensorView> inputs) const;

  // Makes contexts until there are at least `runs`. Errors as Session::Reserve().
  void Reserve(std::size_t runs) const;

  // Session::Run() on inputs for which HasShapes() is true.
  void Run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;

  [[nodiscard]] std::size_t contexts() const;     // number of contexts
  [[nodiscard]] std::size_t arena_bytes() const;  // sum over all contexts

 private:
  struct Context;

  // Takes a free context, and returns it in the destructor.
  class TakenContext;

  void MakeContext() const;  // requires that the mutex is held
  void CheckReserved(std::size_t runs) const;

  void CheckTypes(std::span<const ConstTensorView> inputs,
                  std::span<const TensorView> outputs) const;
  void CheckOverlap(std::span<const TensorView> outputs) const;
  // Address of input or output `i` during the run: memory of the caller, or a copy in the context
  // if that memory is not aligned or overlaps an output.
  const std::byte* Place(Context& context, std::size_t i, const ConstTensorView& input,
                         std::span<const TensorView> outputs) const;
  std::byte* Place(Context& context, std::size_t i, const TensorView& output) const;

  Executable executable_;
  SessionThreads threads_;
  std::vector<SessionTensor> inputs_;
  std::vector<SessionTensor> outputs_;
  std::vector<std::size_t> input_bytes_;   // parallel to inputs_
  std::vector<std::size_t> output_bytes_;  // parallel to outputs_

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Context>> contexts_;
  mutable std::vector<Context*> free_;  // unused contexts; its capacity is contexts_.size()
};

// "float32 1x3x224x224"
std::string TypeText(DType dtype, std::span<const std::int64_t> shape);

}  // namespace halftone
