// One network at one input shape, compiled, with the contexts in which it runs.
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

// Threads of a run: a pool of the caller, or a number of threads for a pool of each context.
struct SessionThreads {
  std::shared_ptr<const ThreadPool> pool;  // null: each context has its own
  int count = 0;                           // of one run
};

// Thread safe.
class ShapeRunner {
 public:
  // `graph`: names the inputs and outputs.
  ShapeRunner(const Graph& graph, Executable executable, SessionThreads threads);
  ~ShapeRunner();
  ShapeRunner(const ShapeRunner&) = delete;
  ShapeRunner& operator=(const ShapeRunner&) = delete;

  [[nodiscard]] std::span<const SessionTensor> inputs() const { return inputs_; }

  [[nodiscard]] std::span<const SessionTensor> outputs() const { return outputs_; }

  // True if every input has the shape of this one; dtypes are not compared.
  [[nodiscard]] bool HasShapes(std::span<const ConstTensorView> inputs) const;

  // Makes contexts until there are so many. Errors as Session::Reserve().
  void Reserve(std::size_t runs) const;

  // Session::Run() with inputs of the shapes of HasShapes().
  void Run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;

  [[nodiscard]] std::size_t contexts() const;
  [[nodiscard]] std::size_t arena_bytes() const;  // of all contexts

 private:
  struct Context;

  // A context taken from the free ones, returned on destruction.
  class TakenContext;

  void MakeContext() const;  // with the mutex held
  void CheckReserved(std::size_t runs) const;

  void CheckTypes(std::span<const ConstTensorView> inputs,
                  std::span<const TensorView> outputs) const;
  void CheckOverlap(std::span<const TensorView> outputs) const;
  // The address that input or output `i` has in the run: the caller's, or the context's copy.
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
  mutable std::vector<Context*> free_;  // capacity: all contexts
};

// "float32 1x3x224x224"
std::string TypeText(DType dtype, std::span<const std::int64_t> shape);

}  // namespace halftone
