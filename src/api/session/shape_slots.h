// One network at one input shape, compiled, with the slots in which it runs.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "src/api/session.h"
#include "src/exec/executable.h"

namespace halftone {

// Threads of a run: a pool of the caller, or a number of threads for a pool of each slot.
struct SessionThreads {
  std::shared_ptr<const ThreadPool> pool;  // null: each slot has its own
  int count = 0;                           // of one run
};

// Thread safe.
class ShapeSlots {
 public:
  // The graph must outlive the object.
  ShapeSlots(const Graph& graph, Executable executable, SessionThreads threads);
  ~ShapeSlots();
  ShapeSlots(const ShapeSlots&) = delete;
  ShapeSlots& operator=(const ShapeSlots&) = delete;

  [[nodiscard]] std::span<const SessionTensor> inputs() const { return inputs_; }

  [[nodiscard]] std::span<const SessionTensor> outputs() const { return outputs_; }

  // Whether every input has the shape of this one; dtypes are not compared.
  [[nodiscard]] bool HasShapes(std::span<const ConstTensorView> inputs) const;

  // Makes slots until there are so many.
  void Reserve(std::size_t runs) const;

  // As Session::Run(). The shapes of the inputs are those of HasShapes().
  void Run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;

  [[nodiscard]] std::size_t slots() const;
  [[nodiscard]] std::size_t arena_bytes() const;  // of all slots

 private:
  struct Slot;

  // A slot taken from the free ones, returned on destruction.
  class TakenSlot;

  void MakeSlot() const;  // with the mutex held

  void CheckTypes(std::span<const ConstTensorView> inputs,
                  std::span<const TensorView> outputs) const;
  void CheckOverlap(std::span<const TensorView> outputs) const;
  // The address that input or output `i` has in the run: the caller's, or the slot's copy.
  const std::byte* Place(Slot& slot, std::size_t i, const ConstTensorView& input,
                         std::span<const TensorView> outputs) const;
  std::byte* Place(Slot& slot, std::size_t i, const TensorView& output) const;

  Executable executable_;
  SessionThreads threads_;
  std::vector<SessionTensor> inputs_;
  std::vector<SessionTensor> outputs_;
  std::vector<std::size_t> input_bytes_;   // parallel to inputs_
  std::vector<std::size_t> output_bytes_;  // parallel to outputs_

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Slot>> slots_;
  mutable std::vector<Slot*> free_;  // capacity: all slots
};

// "float32 1x3x224x224"
std::string TypeText(DType dtype, std::span<const std::int64_t> shape);

}  // namespace halftone
