// A network loaded by ONNX Runtime and bound to its inputs: all graph optimisations, constant
// weights folded and packed, its threads spinning as they do by default.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/onnxruntime/runtime_api.h"
#include "src/ir/tensor.h"

namespace halftone {

struct RuntimeSessionOptions {
  int threads = 1;
  // If set: the runtime times every node and writes "<this>_<time>.json" when the session ends.
  std::string profile_prefix;
  // If set: applies only optimisations without own kernels (folds constants and
  // BatchNormalization), and writes the resulting model there.
  std::string folded_path;
};

// Used by one thread at a time.
class RuntimeSession {
 public:
  // `inputs` by name; those that the network does not have are ignored. Error kUnsupported: the
  // network is refused, or an input is missing.
  RuntimeSession(const RuntimeApi& api, std::string_view model,
                 const RuntimeSessionOptions& options, const std::map<std::string, Tensor>& inputs);

  // The first run allocates the outputs, later ones write to the same memory.
  void Run();

  [[nodiscard]] const std::vector<std::string>& output_names() const { return output_names_; }

  // The outputs of the last run, in the order of the model. Requires one.
  [[nodiscard]] std::vector<Tensor> Outputs() const;

 private:
  [[nodiscard]] std::vector<std::string> Names(RuntimeCall count, RuntimeCall name) const;
  [[nodiscard]] RuntimeHandle ValueOf(const Tensor& tensor) const;
  [[nodiscard]] Tensor TensorOf(void* value) const;

  const RuntimeApi& api_;
  RuntimeHandle session_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<Tensor> tensors_;  // what the input values point to
  std::vector<RuntimeHandle> inputs_;
  std::vector<RuntimeHandle> outputs_;
  // The same as the C function takes them.
  std::vector<const char*> input_name_pointers_;
  std::vector<const char*> output_name_pointers_;
  std::vector<const void*> input_pointers_;
  std::vector<void*> output_pointers_;
};

}  // namespace halftone
