// Sessions: a network in one configuration, run by a program. Tensors in, tensors out.
//
// A session takes the plan of a point (a folder that `tune` wrote), of precision options or of a
// knowledge base, and computes with the kernels that were measured: the outputs have the bits that
// `halftone run --point` has. docs/guide/inference.md is its guide, examples/04_run_point.cc a
// program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halftone/network.h"
#include "halftone/precision.h"
#include "halftone/target.h"
#include "halftone/tensor.h"

namespace halftone {

struct Model;
class ThreadPool;

// An input or output, as the first shape of the session has it.
struct SessionTensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;

  [[nodiscard]] TensorType type() const { return {dtype, Shape(shape)}; }
};

// Elements of the caller in row-major order, at any address. The shape is referred to, not copied.
struct ConstTensorView {
  const void* data = nullptr;
  DType dtype = DType::kFloat32;
  std::span<const std::int64_t> shape;
};

// The same for writing. Without data: the output is computed but not wanted.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kFloat32;
  std::span<const std::int64_t> shape;
};

ConstTensorView ViewOf(const Tensor& tensor);
TensorView MutableViewOf(Tensor& tensor);

struct SessionOptions {
  // Source of the configuration: one of the three. Without any: float32 with each node in its most
  // exact implementation, the reference of speed-ups and accuracy.
  std::filesystem::path point;  // folder of a point: shapes, target and kernels are its own
  std::shared_ptr<const PrecisionOptions> precision;  // for `target`; null: none
  std::filesystem::path bank;                         // --op_bank_path, with the front of `target`
  std::string select;                                 // of the bank, as Configuration::select

  TargetOptions target;  // not beside `point`
  // Shapes that the session runs, texts as ModelOptions::input_shape; the first decides precision.
  // Empty: those of the point, else that of the model. Not beside `point`, except the same ones.
  std::vector<std::string> input_shapes;

  // Threads of one run; 0: all cores. Concurrent runs share the workers of the process.
  int threads = 0;
  // Pool in place of `threads`, for code inside the tree: all runs share its threads, so that more
  // concurrent runs than it has threads wait for each other.
  std::shared_ptr<ThreadPool> pool;
  // Kernels that operator tuning chose, where the source has some for this machine and this number
  // of threads; else the static order.
  bool tuned_kernels = true;
  // Leaves out kernels of oneDNN, the only ones that allocate while they run (a few KB a call,
  // freed at its end). Then no run allocates, but it is slower where these are the fastest, and its
  // bits may differ from what was measured, within the bounds of the kernels.
  bool allocation_free = false;
};

// A network compiled for one configuration. Thread safe: any number of threads may call any member
// at once. The constants of the model are held once, packed weights once for all runs.
//
// A run takes a context (arena and thread pool) from a list under a lock, and returns it. A context
// is made when more runs are under way than ever before. After that, a run on one thread allocates
// nothing, except in kernels of oneDNN (SessionOptions::allocation_free) and for errors; for a run
// on several threads, oneTBB may allocate tasks.
class Session {
 public:
  // Reads the network. Errors: kUsage for options that contradict each other, for a point that
  // cannot be read or is of another network; kModel, kUnsupported and kIo for the network;
  // kDatabase for the bank.
  explicit Session(const ModelOptions& model, SessionOptions options = {});
  explicit Session(const std::filesystem::path& model, SessionOptions options = {});
  // Takes a network that was read before; shapes other than its own are read from its file.
  explicit Session(Model model, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // In the order of the network, with the dtypes of the plan; valid as long as the session.
  [[nodiscard]] std::span<const SessionTensor> inputs() const;
  [[nodiscard]] std::span<const SessionTensor> outputs() const;

  // inputs() and outputs() of another shape of the session, by its place in input_shapes().
  [[nodiscard]] std::span<const SessionTensor> inputs(std::size_t shape) const;
  [[nodiscard]] std::span<const SessionTensor> outputs(std::size_t shape) const;

  // "x:1,3,224,224", in the order in which they were added.
  [[nodiscard]] std::vector<std::string> input_shapes() const;

  // Compiles for another shape, which takes up to seconds; returns its place in input_shapes(). For
  // a shape that is there already, only returns its place. Runs go on meanwhile. Errors as
  // for the constructor.
  std::size_t AddShape(const std::string& input_shape);

  // Makes the contexts for `runs` concurrent runs of each shape in advance. Errors: kUsage for more
  // than limits::kMostReservedRuns, kUnsupported where their arenas take more than the memory of
  // the machine; std::bad_alloc for lack of memory.
  void Reserve(std::size_t runs);

  // Runs: all inputs and outputs in the order of the network, with the dtypes and a shape of the
  // session; nothing is converted. Addresses that are multiples of Tensor::kAlignment are read and
  // written in place, others through a copy. An output may be the memory of an input (a state that
  // is fed back), which is copied then; it must not overlap another output.
  // Errors: kUsage, one sentence that names the input or output, what was expected and found;
  // kUnsupported for data that give a node another number of elements than it is planned for (the
  // outputs are undefined then).
  void Run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;

  // The same with new tensors.
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;
  // Runs with inputs by name. Error kUsage also for names that the network does not have and for
  // missing inputs.
  [[nodiscard]] std::map<std::string, Tensor> Run(
      const std::map<std::string, Tensor>& inputs) const;

  // Digest of the plan at the first shape, 32 hexadecimal digits: the plan_digest of front.json and
  // point.json.
  [[nodiscard]] std::string plan_digest() const;

  // "force_fp16, 2 operators kept": what the session runs, in words.
  [[nodiscard]] std::string configuration() const;
  // Text of `halftone explain` for the first shape; format: table, json, csv.
  [[nodiscard]] std::string Explain(const std::string& format = "table") const;

  // Full sentences about the configuration: of another version, of other weights, kernels that are
  // not used. For programs that print them.
  [[nodiscard]] std::span<const std::string> notes() const;

  [[nodiscard]] const Model& model() const;  // at the first shape
  [[nodiscard]] int threads() const;         // of one run

  // Contexts made so far, and the bytes of their arenas: the cost of concurrent runs.
  [[nodiscard]] std::size_t contexts() const;
  [[nodiscard]] std::size_t arena_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halftone
