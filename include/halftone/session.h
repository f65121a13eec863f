// Sessions: a network in one configuration, run by a program. Tensors in, tensors out.
//
// A session runs the plan of a point (a folder that Tune() wrote), of precision options or of a
// knowledge base, with the kernels that were measured. Its outputs are equal, bit for bit, to those
// of `halftone run --point`. The guide is docs/guide/inference.md; examples/04_run_point.cc is a
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

struct Model;      // inside the library
class ThreadPool;  // inside the library

// Name and type of an input or output at one input shape of a session.
struct SessionTensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;

  [[nodiscard]] TensorType type() const { return {dtype, Shape(shape)}; }
};

// Input of the caller: contiguous elements in row-major order, at any address. Neither elements nor
// extents are copied; both must stay valid during the call.
struct ConstTensorView {
  const void* data = nullptr;
  DType dtype = DType::kFloat32;
  std::span<const std::int64_t> shape;
};

// Memory of the caller for an output, contiguous in row-major order, at any address. If `data` is
// null, the output is not returned, and dtype and shape are ignored.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kFloat32;
  std::span<const std::int64_t> shape;
};

// Views of a tensor, valid while the tensor exists and is not assigned to.
ConstTensorView ViewOf(const Tensor& tensor);
TensorView MutableViewOf(Tensor& tensor);

struct SessionOptions {
  // At most one of `point`, `precision` and `bank` gives the configuration. Without any of them,
  // the session runs float32 with the most exact implementation of each node: the reference for
  // speed-ups and accuracy.
  //
  // Folder of a point. It also gives the target, perhaps the input shapes, and the tuned kernels.
  std::filesystem::path point;
  std::shared_ptr<const PrecisionOptions> precision;  // read for `target`
  // Knowledge base (--op_bank_path) with a front of the network for `target`. `select` chooses a
  // point of that front, as Configuration::select.
  std::filesystem::path bank;
  std::string select;

  TargetOptions target;  // must be empty beside `point`
  // Input shapes that the session runs, each as ModelOptions::input_shape; precision is decided on
  // the first one. Empty: the shapes of the point, or that of the model. Beside a point that names
  // shapes, they must be the same shapes.
  std::vector<std::string> input_shapes;

  // Threads of one run, 0 to 1024; 0: all cores. Concurrent runs share the worker threads of the
  // process.
  int threads = 0;
  // Thread pool of all runs, in place of `threads`; for code inside the library. If more runs are
  // under way than the pool has threads, runs wait for each other.
  std::shared_ptr<ThreadPool> pool;
  // true: uses the kernels that operator tuning chose, if the point or the knowledge base has some
  // for this machine and this number of threads. Otherwise each operator runs on the first kernel
  // of its table that takes it.
  bool tuned_kernels = true;
  // true: leaves out kernels of oneDNN, the only ones that allocate memory while they run (a few KB
  // a call, freed at its end). The session is slower where these kernels are the fastest, and
  // outputs may differ from the measured ones within the error bounds of the kernels.
  bool allocation_free = false;
};

// A network compiled for one configuration. Several threads may call members of one session at
// once, except move and destruction. All shapes and runs share the constants of the model and the
// packed weights.
//
// Each run needs a context: arena, thread pool, and room for copies of inputs and outputs. The
// session makes a context when more runs of a shape are under way than ever before, and uses it
// again. A run on one thread that finds a context allocates nothing, except in kernels of oneDNN
// (SessionOptions::allocation_free) and for errors. In a run on several threads, oneTBB may
// allocate tasks.
class Session {
 public:
  // Reads and compiles the network. Errors: kUsage for options that contradict each other or are
  // out of range, and for a point that cannot be read or is of another network; kModel,
  // kUnsupported and kIo for the network; kDatabase for the knowledge base.
  explicit Session(const ModelOptions& model, SessionOptions options = {});
  explicit Session(const std::filesystem::path& model, SessionOptions options = {});
  // For code inside the library: takes a network that was read before.
  explicit Session(Model model, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Inputs and outputs at the first shape, in the order of the network, with the dtypes of the
  // plan. The spans are valid as long as the session.
  [[nodiscard]] std::span<const SessionTensor> inputs() const;
  [[nodiscard]] std::span<const SessionTensor> outputs() const;

  // Inputs and outputs at shape number `shape`, an index into input_shapes(). Error kUsage: the
  // session has no such shape.
  [[nodiscard]] std::span<const SessionTensor> inputs(std::size_t shape) const;
  [[nodiscard]] std::span<const SessionTensor> outputs(std::size_t shape) const;

  // Returns the shapes of the session as texts, "x:1,3,224,224", in the order in which they were
  // added.
  [[nodiscard]] std::vector<std::string> input_shapes() const;

  // Compiles the network for another shape and returns the shape's index in input_shapes(). A shape
  // that the session has already is not compiled again. The call takes up to seconds; runs go on
  // meanwhile. Errors as for the constructor.
  std::size_t AddShape(const std::string& input_shape);

  // Makes the contexts for `runs` concurrent runs of each shape in advance. Errors: kUsage for more
  // than 4096 runs; kUnsupported if the contexts need more than the memory of the machine;
  // std::bad_alloc if the system refuses memory.
  void Reserve(std::size_t runs);

  // Runs the network. Inputs and outputs are complete, in the order of the network, with the dtypes
  // of inputs() and outputs() and the extents of one shape of the session; nothing is converted.
  //
  // Data at an address that is a multiple of Tensor::kAlignment are read and written in place,
  // other data through a copy. An output may overlap an input, as for a state that is fed back: the
  // input is copied first. Outputs must not overlap each other.
  //
  // Errors: kUsage, which names the wrong input or output; kUnsupported if the data give a node
  // another number of results than the plan has room for (docs/guide/inputs.md, "Shapes and
  // branches that depend on data"); the outputs are undefined then.
  void Run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;

  // Runs the network and returns the outputs in new tensors. Errors as Run() with views.
  [[nodiscard]] std::vector<Tensor> Run(std::span<const Tensor> inputs) const;
  // Runs the network with inputs by name and returns the outputs by name. Errors as Run() with
  // views; also kUsage for a missing input and an unknown name.
  [[nodiscard]] std::map<std::string, Tensor> Run(
      const std::map<std::string, Tensor>& inputs) const;

  // Digest of the plan at the first shape, 32 hexadecimal digits. front.json and point.json hold it
  // as plan_digest.
  [[nodiscard]] std::string plan_digest() const;

  // Summary of the configuration: "force_fp16, 2 operators kept".
  [[nodiscard]] std::string configuration() const;
  // Text of `halftone explain` for the first shape. `format`: "table", "json" or "csv". Error
  // kUsage for another format.
  [[nodiscard]] std::string Explain(const std::string& format = "table") const;

  // Notes for the user as full sentences: the point is of another version of halftone or of other
  // weights, its kernels are not used, and the like. Valid as long as the session.
  [[nodiscard]] std::span<const std::string> notes() const;

  // The network at the first shape, for code inside the library; valid as long as the session.
  [[nodiscard]] const Model& model() const;
  [[nodiscard]] int threads() const;  // of one run

  // Number of contexts made so far, and bytes of their arenas together.
  [[nodiscard]] std::size_t contexts() const;
  [[nodiscard]] std::size_t arena_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halftone
